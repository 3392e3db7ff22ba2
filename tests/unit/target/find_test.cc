#include "target/find.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fake_tree.h"

namespace srvprof {
namespace {

constexpr unsigned kKernelThread = 0x00200000;

std::string listener_line(unsigned port, std::uint64_t inode) {
  return fmt::format("   0: 0100007F:{:04X} 00000000:0000 0A 0:0 00:0 0 0 0 {} 1\n", port, inode);
}

TEST(FindByTid, IsTheProcessOfTheThread) {
  FakeTree tree;
  tree.add({.pid = 12, .comm = "node"});
  tree.write("proc/14/stat", stat_line(14, "worker", 'S', 1, 0, 1));
  tree.write("proc/14/status", "Tgid:\t12\n");
  const auto found = find_by_tid(tree.fs(), 14);
  ASSERT_TRUE(found.ok()) << found.error().what;
  EXPECT_EQ(found->pid, 12);
  EXPECT_EQ(find_by_tid(tree.fs(), 12)->pid, 12);
  ASSERT_FALSE(find_by_tid(tree.fs(), 99).ok());
  EXPECT_EQ(find_by_tid(tree.fs(), 99).error().kind, ErrorKind::kNoTarget);
}

TEST(FindByCgroup, TakesTheGroupAndThoseBelowIt) {
  FakeTree tree;
  for (const pid_t pid : {20, 21, 22, 23}) tree.add({.pid = pid, .comm = "web"});
  tree.write("proc/20/cgroup", "4:cpu,cpuacct:/system.slice/web.service\n0::/\n");
  tree.write("proc/21/cgroup", "0::/system.slice/web.service/workers\n");
  tree.write("proc/22/cgroup", "0::/system.slice/web.service2\n");
  tree.write("proc/23/cgroup", "0::/\n");
  const auto pids = [&](const std::string& path) {
    std::vector<pid_t> out;
    const auto found = find_by_cgroup(tree.fs(), path);
    if (!found.ok()) return out;
    for (const ProcessInfo& p : *found) out.push_back(p.pid);
    std::sort(out.begin(), out.end());
    return out;
  };
  EXPECT_EQ(pids("/system.slice/web.service"), (std::vector<pid_t>{20, 21}));
  EXPECT_EQ(pids("/system.slice/web.service/"), (std::vector<pid_t>{20, 21}));
  EXPECT_EQ(pids("/sys/fs/cgroup/cpu/system.slice/web.service"), (std::vector<pid_t>{20, 21}));
  EXPECT_EQ(pids("/system.slice/web.service/workers"), std::vector<pid_t>{21});
  EXPECT_TRUE(pids("/system.slice/none").empty());
  EXPECT_EQ(find_by_cgroup(tree.fs(), "/x").error().kind, ErrorKind::kNoTarget);
}

TEST(FindByPid, SaysWhatIsThereInstead) {
  FakeTree tree;
  tree.add({.pid = 10, .comm = "kworker/0:1", .flags = kKernelThread});
  tree.add({.pid = 11, .state = 'Z'});
  tree.add({.pid = 12, .cmdline = std::string("node\0app.js\0", 12), .ns_pids = {12, 77}});
  tree.add({.pid = 13});
  tree.write("proc/14/stat", stat_line(14, "worker", 'S', 1, 0, 1));
  tree.write("proc/14/status", "Tgid:\t12\n");

  EXPECT_TRUE(find_by_pid(tree.fs(), 13).ok());
  const auto check = [&](pid_t pid, const std::string& what, const std::string& hint) {
    const auto found = find_by_pid(tree.fs(), pid);
    ASSERT_FALSE(found.ok()) << pid;
    EXPECT_EQ(found.error().kind, ErrorKind::kNoTarget) << pid;
    EXPECT_NE(found.error().what.find(what), std::string::npos) << found.error().what;
    EXPECT_NE(found.error().hint.find(hint), std::string::npos) << found.error().hint;
  };
  check(10, "it is a kernel thread (kworker/0:1)", "server process");
  check(11, "it has exited (zombie)", "new pid");
  check(99, "there is no such process", "ps -e");
  check(77, "there is no such process", "is 12 (node app.js) here: use --pid 12");
  check(14, "it is a thread of process 12", "use --pid 12");
}

TEST(FindByPort, InTheOwnAndInOtherNamespaces) {
  FakeTree tree;
  tree.write("proc/net/tcp", listener_line(3000, 500) + listener_line(22, 501));
  tree.add({.pid = 10, .socket_inodes = {500}, .net_ns = 1});
  tree.add({.pid = 11, .socket_inodes = {600}, .net_ns = 2});
  tree.write("proc/11/net/tcp", listener_line(8080, 600));

  const auto own = find_by_port(tree.fs(), 3000);
  ASSERT_TRUE(own.ok()) << own.error().what;
  ASSERT_EQ(own->size(), 1u);
  EXPECT_EQ((*own)[0].pid, 10);
  const auto other = find_by_port(tree.fs(), 8080);
  ASSERT_TRUE(other.ok()) << other.error().what;
  EXPECT_EQ((*other)[0].pid, 11);

  const auto none = find_by_port(tree.fs(), 4000);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::kNoTarget);
  EXPECT_EQ(none.error().hint, "listened on here: 22 3000");
  const auto unreadable = find_by_port(tree.fs(), 22);
  ASSERT_FALSE(unreadable.ok());
  EXPECT_EQ(unreadable.error().kind, ErrorKind::kPermission);
}

TEST(FindByName, MatchesCommAndProgram) {
  FakeTree tree;
  tree.add({.pid = 10, .comm = "MainThread", .cmdline = std::string("/opt/node20\0x.js\0", 17)});
  tree.add({.pid = 11, .comm = "node", .state = 'Z'});
  tree.add({.pid = 12, .comm = "nodelike", .flags = kKernelThread});
  tree.add({.pid = 13, .comm = "nginx", .cmdline = std::string("nginx: worker process\0", 22)});
  const auto node = find_by_name(tree.fs(), "node*");
  ASSERT_TRUE(node.ok());
  ASSERT_EQ(node->size(), 1u);
  EXPECT_EQ((*node)[0].pid, 10);
  EXPECT_TRUE(find_by_name(tree.fs(), "nginx: worker*").ok());
  const auto none = find_by_name(tree.fs(), "bun");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().kind, ErrorKind::kNoTarget);
  EXPECT_FALSE(find_by_name(tree.fs(), "[").ok());
}

TEST(ChooseProcess, TheParentOfAllOrNone) {
  FakeTree tree;
  tree.add({.pid = 10, .ppid = 1, .comm = "master"});
  tree.add({.pid = 11, .ppid = 10});
  tree.add({.pid = 12, .ppid = 11});
  tree.add({.pid = 20, .ppid = 1});
  const auto candidates = [&](std::vector<pid_t> pids) {
    std::vector<ProcessInfo> infos;
    for (const pid_t pid : pids) infos.push_back(std::move(*read_process(tree.fs(), pid)));
    return infos;
  };
  const auto parent = choose_process(tree.fs(), candidates({12, 10, 11}), "port 80");
  ASSERT_TRUE(parent.ok());
  EXPECT_EQ(parent->pid, 10);
  EXPECT_EQ(choose_process(tree.fs(), candidates({20}), "port 80")->pid, 20);
  const auto several = choose_process(tree.fs(), candidates({10, 20}), "name 'x*'");
  ASSERT_FALSE(several.ok());
  EXPECT_EQ(several.error().what, "finding the process by name 'x*': 2 processes match");
  EXPECT_EQ(several.error().hint, "choose with --pid: 10 (master) 20 (server)");
}

}  // namespace
}  // namespace srvprof
