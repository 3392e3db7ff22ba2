#include "target/open.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fake_tree.h"

namespace srvprof {
namespace {

// A process 10 whose root is "<tree>/root".
class Open : public testing::Test {
 protected:
  Open() {
    tree_.write("root/tmp/perf-3.map", "1000 10 f\n");
    tree_.write("root/lib/a.so", "inside");
    tree_.write("secret", "outside");
    tree_.link("proc/10/root", tree_.path() + "/root");
    auto root = open_root(tree_.fs(), 10);
    EXPECT_TRUE(root.ok());
    if (root.ok()) root_ = std::move(*root);
  }

  std::string text(Result<Fd> file) {
    if (!file.ok()) return "error";
    auto all = read_all(*file, 100);
    return all.ok() ? *all : "unreadable";
  }

  FakeTree tree_;
  Fd root_;
};

TEST_F(Open, LinksStayInsideTheRoot) {
  tree_.link("root/lib/link.so", "/lib/a.so");
  tree_.link("root/lib/escape.so", "../../../../../../../../" + tree_.path() + "/secret");
  tree_.link("root/lib/absolute.so", tree_.path() + "/secret");
  tree_.link("root/lib/self", "/proc/self/exe");
  EXPECT_EQ(text(open_in_root(root_, "/lib/a.so", Links::kInsideRoot)), "inside");
  EXPECT_EQ(text(open_in_root(root_, "/lib/link.so", Links::kInsideRoot)), "inside");
  EXPECT_EQ(text(open_in_root(root_, "/lib/escape.so", Links::kInsideRoot)), "error");
  EXPECT_EQ(text(open_in_root(root_, "/lib/absolute.so", Links::kInsideRoot)), "error");
  EXPECT_EQ(text(open_in_root(root_, "/lib/self", Links::kInsideRoot)), "error");
  EXPECT_EQ(text(open_in_root(root_, "/../secret", Links::kInsideRoot)), "error");
  EXPECT_EQ(text(open_in_root(root_, "/lib/link.so", Links::kNone)), "error");
  EXPECT_EQ(text(open_in_root(root_, "/lib", Links::kNone)), "error");
  EXPECT_EQ(text(open_in_root(root_, std::string("/lib/a.so\0x", 11), Links::kNone)), "error");
}

TEST_F(Open, FifosNeitherHangNorOpen) {
  ASSERT_EQ(::mkfifo((tree_.path() + "/root/tmp/perf-4.map").c_str(), 0644), 0);
  EXPECT_FALSE(open_perf_map(root_, 4, ::geteuid()).ok());
}

TEST_F(Open, PerfMapOfTheOwnerOnly) {
  EXPECT_EQ(text(open_perf_map(root_, 3, ::geteuid())), "1000 10 f\n");
  const auto foreign = open_perf_map(root_, 3, ::geteuid() + 1);
  ASSERT_FALSE(foreign.ok());
  EXPECT_EQ(foreign.error().kind, ErrorKind::kPermission);
  tree_.link("root/tmp/perf-5.map", "perf-3.map");
  EXPECT_FALSE(open_perf_map(root_, 5, ::geteuid()).ok());
}

TEST_F(Open, MappedFileMustBeTheMappedOne) {
  struct stat st {};
  ASSERT_EQ(::stat((tree_.path() + "/root/lib/a.so").c_str(), &st), 0);
  MemoryMapping m;
  m.path = "/lib/a.so";
  m.inode = st.st_ino;
  EXPECT_EQ(text(open_mapped_file(tree_.fs(), 10, root_, m)), "inside");
  m.inode = st.st_ino + 1;
  EXPECT_FALSE(open_mapped_file(tree_.fs(), 10, root_, m).ok());
  m.inode = st.st_ino;
  m.deleted = true;
  EXPECT_FALSE(open_mapped_file(tree_.fs(), 10, root_, m).ok());
}

TEST_F(Open, ReadingIsBounded) {
  auto file = open_in_root(root_, "/lib/a.so", Links::kNone);
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(read_all(*file, 5).ok());
  EXPECT_TRUE(read_all(*file, 6).ok());
  EXPECT_FALSE(read_file(tree_.path() + "/secret", 6).ok());
  EXPECT_TRUE(read_file(tree_.path() + "/secret", 7).ok());
}

}  // namespace
}  // namespace srvprof
