#include "collect/snapshot.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include "recording/reader.h"

namespace srvprof {
namespace {

// The Process row that this test's own process gets.
rows::Process own_row(bool as_target) {
  char name[] = "/tmp/srvprof-snapshot-XXXXXX";
  const int fd = ::mkstemp(name);
  EXPECT_GE(fd, 0);
  auto writer = RecordingWriter::adopt(Fd(fd), name);
  auto self = read_process(ProcFs{}, ::getpid());
  EXPECT_TRUE(writer.ok() && self.ok());
  Snapshots snapshots(ProcFs{}, *self);
  snapshots.name_process(static_cast<std::uint32_t>(::getpid()), as_target, *writer);
  EXPECT_TRUE(writer->close().ok());
  auto reader = RecordingReader::open(name);
  ::unlink(name);
  EXPECT_TRUE(reader.ok());
  std::vector<rows::Process> found;
  EXPECT_TRUE(reader->read_all([&](const auto& row) {
    if constexpr (std::is_same_v<std::decay_t<decltype(row)>, rows::Process>) found.push_back(row);
  }).ok());
  EXPECT_EQ(found.size(), 1u);
  return found.empty() ? rows::Process{} : found.front();
}

TEST(Snapshots, KeepTheArgumentsOfTheTarget) {
  const rows::Process row = own_row(true);
  EXPECT_TRUE(row.target);
  EXPECT_NE(row.argv.find("collect_test"), std::string::npos);
}

// Passwords and tokens are passed as arguments.
TEST(Snapshots, KeepNoArgumentsOfOtherProcesses) {
  const rows::Process row = own_row(false);
  EXPECT_EQ(row.comm, "collect_test");
  EXPECT_NE(row.exe.find("collect_test"), std::string::npos);
  EXPECT_EQ(row.argv, "");
}

}  // namespace
}  // namespace srvprof
