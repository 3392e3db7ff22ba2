#include "cli/output.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace srvprof {
namespace {

namespace fs = std::filesystem;

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "srvprof-output-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    dir_ = pattern;
  }
  void TearDown() override { fs::remove_all(dir_); }

  std::string path(const char* name) const { return (dir_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(dir_), {}));
  }

  fs::path dir_;
};

Status write_file(const std::string& path, std::string_view text, bool force) {
  Result<Output> out = Output::create(path, force);
  if (!out.ok()) return out.error();
  const Status status = out->write(text);
  return status.ok() ? out->commit() : status;
}

TEST_F(OutputTest, WritesForTheOwnerOnly) {
  ASSERT_TRUE(write_file(path("a"), "one", false).ok());
  EXPECT_EQ(read(path("a")), "one");
  struct stat st {};
  ASSERT_EQ(::stat(path("a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0600u);
}

TEST_F(OutputTest, NeverOverwritesSilently) {
  ASSERT_TRUE(write_file(path("a"), "one", false).ok());
  const Status status = write_file(path("a"), "two", false);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("it exists already"), std::string::npos);
  EXPECT_NE(status.error().hint.find("--force"), std::string::npos);
  EXPECT_EQ(read(path("a")), "one");
  ASSERT_TRUE(write_file(path("a"), "two", true).ok());
  EXPECT_EQ(read(path("a")), "two");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, LeavesNothingHalfWritten) {
  {
    Result<Output> out = Output::create(path("a"), false);
    ASSERT_TRUE(out.ok());
    ASSERT_TRUE(out->write(std::string(1 << 20, 'x')).ok());
  }
  EXPECT_EQ(files(), 0u);
  ASSERT_TRUE(write_file(path("a"), "one", false).ok());
  {
    Result<Output> out = Output::create(path("a"), true);
    ASSERT_TRUE(out.ok());
    ASSERT_TRUE(out->write("two").ok());
  }
  EXPECT_EQ(read(path("a")), "one");
  EXPECT_EQ(files(), 1u);
}

TEST_F(OutputTest, DoesNotFollowALink) {
  fs::create_symlink(path("elsewhere"), path("link"));
  EXPECT_FALSE(write_file(path("link"), "x", false).ok());
  EXPECT_FALSE(fs::exists(path("elsewhere")));
}

TEST_F(OutputTest, AFullDiskIsAnError) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const Status status = write_file("/dev/full", std::string(1 << 20, 'x'), false);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().what.find("No space left"), std::string::npos);
}

TEST_F(OutputTest, FilesOfRootBelongToTheUserBehindSudo) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root";
  ::setenv("SUDO_UID", "12345", 1);
  ::setenv("SUDO_GID", "12346", 1);
  EXPECT_TRUE(write_file(path("a"), "x", false).ok());
  EXPECT_TRUE(make_folder(path("d")).ok());
  ::unsetenv("SUDO_UID");
  ::unsetenv("SUDO_GID");
  for (const char* name : {"a", "d"}) {
    struct stat st {};
    ASSERT_EQ(::stat(path(name).c_str(), &st), 0);
    EXPECT_EQ(st.st_uid, 12345u);
    EXPECT_EQ(st.st_gid, 12346u);
    EXPECT_EQ(st.st_mode & 0077, 0u);
  }
}

TEST_F(OutputTest, FoldersAreNew) {
  ASSERT_TRUE(make_folder(path("d")).ok());
  EXPECT_FALSE(make_folder(path("d")).ok());
}

TEST(Links, AreEscaped) {
  EXPECT_EQ(file_link("/a b/c%.svg"), "file:///a%20b/c%25.svg");
  EXPECT_EQ(file_link("/a/../b"), "file:///b");
  EXPECT_EQ(file_link("/\x1b\xc3\xa4"), "file:///%1B%C3%A4");
}

}  // namespace
}  // namespace srvprof
