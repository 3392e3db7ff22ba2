// Files: who may create them, what a full disk leaves, how much memory rows take.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <fstream>

#include "support.h"

namespace srvprof {
namespace {

class Writer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = ::testing::TempDir() + "/recording-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    directory_ = name;
    path_ = name + "/run.srvprof";
  }
  void TearDown() override {
    ::unlink(path_.c_str());
    ::unlink((directory_ + "/other").c_str());
    ::rmdir(directory_.c_str());
  }
  std::string directory_, path_;
};

TEST_F(Writer, CreatesAPrivateFileThatOpens) {
  const mode_t old = ::umask(0);
  auto writer = RecordingWriter::create(path_);
  ::umask(old);
  ASSERT_TRUE(writer.ok());
  writer->add(rows::Meta{"mode", "default"});
  ASSERT_TRUE(writer->close().ok());
  struct stat st {};
  ASSERT_EQ(::stat(path_.c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777u, 0600u);
  EXPECT_EQ(static_cast<std::uint64_t>(st.st_size), writer->bytes_written());
  auto reader = RecordingReader::open(path_);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ(reader->read_table<rows::Meta>()->at(0).value, "default");
}

TEST_F(Writer, NeverOverwrites) {
  std::ofstream(path_) << "precious";
  auto writer = RecordingWriter::create(path_);
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(writer.error().what.find("File exists"), std::string::npos) << writer.error().what;
  EXPECT_NE(writer.error().what.find(path_), std::string::npos);
  EXPECT_FALSE(writer.error().hint.empty());
  std::string kept;
  std::ifstream(path_) >> kept;
  EXPECT_EQ(kept, "precious");
}

TEST_F(Writer, DoesNotFollowALink) {
  ASSERT_EQ(::symlink((directory_ + "/other").c_str(), path_.c_str()), 0);
  EXPECT_FALSE(RecordingWriter::create(path_).ok());
  EXPECT_NE(::access((directory_ + "/other").c_str(), F_OK), 0);
}

TEST_F(Writer, NoDirectoryIsAnErrorWithTheName) {
  auto writer = RecordingWriter::create(directory_ + "/missing/run.srvprof");
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(writer.error().what.find("/missing/run.srvprof: No such file"), std::string::npos);
}

TEST_F(Writer, GivesTheFileToItsOwner) {
  const FileOwner me{::getuid(), ::getgid()};
  const FileOwner wanted = ::getuid() == 0 ? FileOwner{65534, 65534} : me;
  ASSERT_TRUE(RecordingWriter::create(path_, wanted).ok());
  struct stat st {};
  ASSERT_EQ(::stat(path_.c_str(), &st), 0);
  EXPECT_EQ(st.st_uid, wanted.uid);
  EXPECT_EQ(st.st_gid, wanted.gid);
}

TEST_F(Writer, AnOwnerThatIsRefusedLeavesNoFile) {
  const bool root = ::getuid() == 0;  // root may give files away: be somebody else for a moment
  if (root) {
    ASSERT_EQ(::chown(directory_.c_str(), 65534, 65534), 0);
    ASSERT_EQ(::seteuid(65534), 0);
  }
  auto writer = RecordingWriter::create(path_, FileOwner{0, 0});
  if (root) {
    ASSERT_EQ(::seteuid(0), 0);
  }
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().kind, ErrorKind::kPermission);
  EXPECT_NE(writer.error().what.find("owner 0:0"), std::string::npos) << writer.error().what;
  EXPECT_NE(::access(path_.c_str(), F_OK), 0);
}

TEST_F(Writer, FlushMakesAllRowsReadable) {
  auto writer = RecordingWriter::create(path_);
  ASSERT_TRUE(writer.ok());
  for (std::uint32_t i = 1; i <= 3; ++i) {
    writer->add(rows::TaskExit{time_from_ns(i), i, 1});
    EXPECT_EQ(writer->rows_added(), i);
    ASSERT_TRUE(writer->flush().ok());
    // Another process, now; and srvprof may be killed at any time from here on.
    EXPECT_EQ(RecordingReader::open(path_)->read_table<rows::TaskExit>()->size(), i);
  }
  const auto before = writer->bytes_written();
  ASSERT_TRUE(writer->flush().ok());
  EXPECT_EQ(writer->bytes_written(), before) << "nothing buffered, nothing written";
}

TEST_F(Writer, ClosesOnceAndIgnoresWhatComesLater) {
  auto writer = RecordingWriter::create(path_);
  writer->add(rows::Meta{"a", "1"});
  ASSERT_TRUE(writer->close().ok());
  writer->add(rows::Meta{"b", "2"});
  EXPECT_TRUE(writer->flush().ok());
  EXPECT_TRUE(writer->close().ok());
  EXPECT_EQ(writer->rows_added(), 1u);
  EXPECT_EQ(RecordingReader::open(path_)->read_table<rows::Meta>()->size(), 1u);
}

TEST_F(Writer, MoveAssignmentClosesTheOldFile) {
  auto writer = RecordingWriter::create(path_);
  writer->add(rows::Meta{"a", "1"});
  auto other = RecordingWriter::create(directory_ + "/other");
  *writer = std::move(*other);
  EXPECT_EQ(RecordingReader::open(path_)->read_table<rows::Meta>()->size(), 1u);
}

TEST_F(Writer, FullDeviceIsAnErrorWithAHint) {
  Fd fd(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) GTEST_SKIP() << "no /dev/full here";
  auto writer = RecordingWriter::adopt(std::move(fd), "/dev/full");
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(writer.error().what.find("No space left"), std::string::npos) << writer.error().what;
  EXPECT_FALSE(writer.error().hint.empty());
}

// A limit on the file size stands in for a disk that fills while recording.
TEST_F(Writer, ADiskThatFillsLeavesWhatWasWritten) {
  constexpr rlim_t kLimit = 50'000;
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  rlimit limit = old_limit;
  limit.rlim_cur = kLimit;
  auto writer = RecordingWriter::create(path_);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  test::Random random(3);
  std::uint64_t flushed = 0;
  while (writer->status().ok() && flushed < 1'000'000) {
    for (int i = 0; i < 100; ++i) {
      rows::Sample s;
      s.t = time_from_ns(random());
      s.kstack = random();
      writer->add(s);
    }
    if (writer->flush().ok()) flushed += 100;
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, old_handler);

  ASSERT_FALSE(writer->status().ok());
  EXPECT_NE(writer->status().error().what.find("File too large"), std::string::npos);
  // Sticky, although there is room again, and no memory grows.
  const auto bytes = writer->bytes_written();
  const auto memory = writer->buffered_bytes();
  for (int i = 0; i < 100'000; ++i) writer->add(rows::Meta{"k", std::to_string(i)});
  EXPECT_FALSE(writer->flush().ok());
  EXPECT_FALSE(writer->close().ok());
  EXPECT_EQ(writer->bytes_written(), bytes);
  EXPECT_EQ(writer->buffered_bytes(), memory);

  auto reader = RecordingReader::open(path_);
  std::uint64_t rows = 0;
  auto report = reader->read_all([&](const rows::Sample&) { ++rows; });
  EXPECT_EQ(rows, flushed);
  EXPECT_FALSE(report->damaged()) << "the half-written chunk was taken back";
  EXPECT_LE(reader->file_bytes(), kLimit);
}

TEST_F(Writer, ARowTooLargeIsRefusedAndWhatCameBeforeIsKept) {
  for (const bool list : {false, true}) {
    Fd fd = test::memory_file();
    Fd copy(::dup(fd.get()));
    auto writer = RecordingWriter::adopt(std::move(fd), "test");
    writer->add(rows::Meta{"a", "1"});
    ASSERT_TRUE(writer->flush().ok());
    if (list) {
      writer->add(rows::Stack{1, 1, std::vector<std::uint64_t>(kMaxListLength + 1)});
    } else {
      writer->add(rows::Meta{"b", std::string(kMaxRowBytes + 1, 'x')});
    }
    ASSERT_FALSE(writer->flush().ok());
    EXPECT_NE(writer->status().error().what.find(list ? "row of stack" : "row of meta"),
              std::string::npos);
    EXPECT_EQ(test::reader_of(test::content(copy.get()))->read_table<rows::Meta>()->size(), 1u);
  }
}

// A different path in each request must not grow memory; nor long strings, lists and odd values.
TEST_F(Writer, MemoryIsBounded) {
  auto writer = RecordingWriter::create(path_);
  std::size_t peak = 0;
  test::Random random(11);
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    rows::Request r;
    r.t_arrive = time_from_ns(random());
    r.g = random();
    r.path = "/u/" + std::to_string(random()) + std::string(60, 'p');
    writer->add(r);
    if (i % 64 == 0) {
      writer->add(rows::Stack{random(), i, std::vector<std::uint64_t>(100, random())});
      writer->add(rows::Frame{i, 0, 0, random(), 0, std::string(2000, 'f'), "m", "", "elf"});
    }
    if (i % 1000 == 0) peak = std::max(peak, writer->buffered_bytes());
  }
  EXPECT_LT(peak, 16u << 20);
  ASSERT_TRUE(writer->close().ok());
}

TEST_F(Writer, ALargeRowDoesNotKeepItsMemory) {
  auto writer = RecordingWriter::create(path_);
  for (std::uint32_t i = 0; i < 2; ++i) {
    rows::Load load;
    load.argv.assign(4u << 20, 'a');
    load.output.assign(8u << 20, 'b');
    writer->add(load);
    for (int k = 0; k < 8; ++k) {
      writer->add(rows::Stack{1, 1, std::vector<std::uint64_t>(kMaxListLength, ~0ull << k)});
    }
    ASSERT_TRUE(writer->flush().ok());
    EXPECT_LT(writer->buffered_bytes(), 8u << 20);
  }
}

TEST(Opening, ErrorsNameTheFileAndTheReason) {
  const auto why = [](const std::string& path) { return RecordingReader::open(path).error().what; };
  EXPECT_NE(why("/nonexistent/x.srvprof").find("/nonexistent/x.srvprof: No such file"),
            std::string::npos);
  EXPECT_NE(why("/").find("not a regular file"), std::string::npos);
  EXPECT_NE(why("/dev/null").find("not a regular file"), std::string::npos);
  const auto of = [](std::string_view bytes) { return test::reader_of(bytes).error().what; };
  EXPECT_NE(of("").find("empty"), std::string::npos);
  EXPECT_NE(of("SRVPROF").find("not a srvprof recording"), std::string::npos);
  EXPECT_NE(of("GIF89a..................").find("not a srvprof recording"), std::string::npos);
  EXPECT_NE(of(std::string_view("SRVPROF\0\1\0", 10)).find("ends inside"), std::string::npos);
  EXPECT_NE(of(std::string_view("SRVPROF\0\0\0\0\0\0\0\0\0", 16)).find("version 0"),
            std::string::npos);
}

}  // namespace
}  // namespace srvprof
