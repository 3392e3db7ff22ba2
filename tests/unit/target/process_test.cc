#include "target/process.h"

#include <gtest/gtest.h>

#include "fake_tree.h"

namespace srvprof {
namespace {

TEST(Process, ReadsEverything) {
  FakeTree tree;
  tree.add({.pid = 42,
            .ppid = 7,
            .comm = "node",
            .cmdline = std::string("/usr/bin/node\0server.js\0", 24),
            .ns_pids = {42, 3},
            .net_ns = 99});
  tree.link("proc/42/exe", "/usr/bin/node");
  const auto info = read_process(tree.fs(), 42);
  ASSERT_TRUE(info.ok()) << info.error().what;
  EXPECT_EQ(info->pid, 42);
  EXPECT_EQ(info->ppid, 7);
  EXPECT_EQ(info->ns_pid, 3);
  EXPECT_EQ(info->comm, "node");
  EXPECT_EQ(info->exe, "/usr/bin/node");
  EXPECT_EQ(info->argv, (std::vector<std::string>{"/usr/bin/node", "server.js"}));
  EXPECT_EQ(info->uid, 1001u);
  EXPECT_EQ(info->net_ns, 99u);
  EXPECT_EQ(info->start_ticks, 1000u);
  EXPECT_EQ(info->cpus_allowed, "0-1");
  EXPECT_EQ(cgroup_path(info->cgroups, "cpu"), "/web");
  EXPECT_EQ(cgroup_path(info->cgroups, "memory"), "/user.slice");
  EXPECT_EQ(program_name(*info), "node");
  EXPECT_EQ(command_summary(*info), "node server.js");
  EXPECT_EQ(command_summary(*info, 8), "node ser...");
}

TEST(Process, MissingIsNoTarget) {
  FakeTree tree;
  const auto info = read_process(tree.fs(), 42);
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().kind, ErrorKind::kNoTarget);
}

TEST(Process, HostileCommandLineIsEscapedInSummaries) {
  FakeTree tree;
  tree.add({.pid = 42, .cmdline = std::string("\x1b[2J/x\0", 7)});
  const auto info = read_process(tree.fs(), 42);
  ASSERT_TRUE(info.ok());
  EXPECT_EQ(command_summary(*info).find('\x1b'), std::string::npos);
}

TEST(Process, AliveMeansTheSameProcess) {
  FakeTree tree;
  tree.add({.pid = 42});
  const auto info = read_process(tree.fs(), 42);
  ASSERT_TRUE(info.ok());
  EXPECT_TRUE(is_alive(tree.fs(), *info));
  tree.write("proc/42/stat", stat_line(42, "server", 'Z', 1, 0, 1000));
  EXPECT_FALSE(is_alive(tree.fs(), *info));
  tree.write("proc/42/stat", stat_line(42, "server", 'S', 1, 0, 2000));
  EXPECT_FALSE(is_alive(tree.fs(), *info)) << "the pid was used again";
}

TEST(Process, Threads) {
  FakeTree tree;
  tree.add({.pid = 42});
  tree.write("proc/42/task/42/stat", stat_line(42, "MainThread", 'S', 1, 0, 5));
  tree.write("proc/42/task/43/stat", stat_line(43, "a) b", 'R', 1, 0, 6));
  tree.write("proc/42/task/44/stat", "");  // ended between listing and reading
  tree.write("proc/42/task/43/schedstat", "10 20 30\n");
  const auto threads = read_threads(tree.fs(), 42);
  ASSERT_TRUE(threads.ok());
  ASSERT_EQ(threads->size(), 2u);
  EXPECT_EQ((*threads)[0].comm, "MainThread");
  EXPECT_EQ((*threads)[1].tid, 43);
  EXPECT_EQ((*threads)[1].comm, "a) b");
  EXPECT_EQ((*threads)[1].nice, -5);
  const auto sched = read_schedstat(tree.fs(), 42, 43);
  ASSERT_TRUE(sched.ok());
  EXPECT_EQ(sched->run_queue.count(), 20);
  EXPECT_FALSE(read_schedstat(tree.fs(), 42, 42).ok());
  EXPECT_FALSE(read_threads(tree.fs(), 1).ok());
}

TEST(Process, DescendantsParentsFirst) {
  FakeTree tree;
  tree.add({.pid = 10, .ppid = 1});
  tree.add({.pid = 11, .ppid = 12});
  tree.add({.pid = 12, .ppid = 10});
  tree.add({.pid = 13, .ppid = 10, .state = 'Z'});
  tree.add({.pid = 14, .ppid = 1});
  const auto below = read_descendants(tree.fs(), 10);
  ASSERT_TRUE(below.ok());
  EXPECT_EQ(*below, (std::vector<pid_t>{12, 11}));
}

TEST(Process, DescendantsOfATornReadingEnd) {
  FakeTree tree;
  tree.add({.pid = 10, .ppid = 11});
  tree.add({.pid = 11, .ppid = 10});
  const auto below = read_descendants(tree.fs(), 10);
  ASSERT_TRUE(below.ok());
  EXPECT_LE(below->size(), 2u);
}

TEST(ProcCgroup, BothVersions) {
  const auto groups = parse_proc_cgroup(
      "12:cpu,cpuacct:/a:b\n1:name=systemd:/s\n0::/v2\nx:cpu:/no\n3:cpu\n4:cpu:relative\n");
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_EQ(groups[0].version, 1);
  EXPECT_EQ(groups[0].controllers, (std::vector<std::string>{"cpu", "cpuacct"}));
  EXPECT_EQ(groups[0].path, "/a:b");
  EXPECT_EQ(groups[2].version, 2);
  EXPECT_EQ(cgroup_path({}, "cpu"), "");
}

}  // namespace
}  // namespace srvprof
