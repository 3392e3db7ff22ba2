#include "target/machine.h"

#include <gtest/gtest.h>

#include "fake_tree.h"
#include "target/privileges.h"

namespace srvprof {
namespace {

TEST(CpuTimes, PerCpuWithSteal) {
  const auto cpus = parse_cpu_times(
      "cpu  9 9 9 9 9 9 9 9 9 9\ncpu0 10 1 20 300 4 5 6 7 8 0\ncpu1 1 1 1\nintr 5\ncpux 1\n");
  ASSERT_EQ(cpus.size(), 2u);
  EXPECT_EQ(cpus[0].cpu, 0u);
  EXPECT_EQ(cpus[0].user, ticks_to_duration(11));
  EXPECT_EQ(cpus[0].system, ticks_to_duration(20));
  EXPECT_EQ(cpus[0].idle, ticks_to_duration(300));
  EXPECT_EQ(cpus[0].softirq, ticks_to_duration(6));
  EXPECT_EQ(cpus[0].steal, ticks_to_duration(7));
  EXPECT_EQ(cpus[1].steal, Duration{});
}

TEST(ProcessCpu, EveryProcess) {
  FakeTree tree;
  tree.add({.pid = 2, .comm = "kthreadd", .flags = 0x00200000});
  tree.add({.pid = 10, .comm = "a b", .start_ticks = 55});
  tree.write("proc/11/stat", "garbage");
  const auto processes = read_process_cpu(tree.fs());
  ASSERT_TRUE(processes.ok());
  ASSERT_EQ(processes->size(), 2u);
  EXPECT_TRUE((*processes)[0].kernel_thread);
  EXPECT_EQ((*processes)[1].comm, "a b");
  EXPECT_EQ((*processes)[1].start_ticks, 55u);
  EXPECT_EQ((*processes)[1].cpu, ticks_to_duration(200));
}

TEST(ProcessSchedstat, SumsTheThreads) {
  FakeTree tree;
  tree.write("proc/10/task/10/schedstat", "100 20 3\n");
  tree.write("proc/10/task/11/schedstat", "1 2 3\n");
  tree.write("proc/10/task/12/schedstat", "\n");
  const auto sum = read_process_schedstat(tree.fs(), 10);
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(sum->cpu.count(), 101);
  EXPECT_EQ(sum->run_queue.count(), 22);
  EXPECT_EQ(sum->slices, 6u);
  tree.write("proc/20/task/20/comm", "kernel without schedstat\n");
  EXPECT_FALSE(read_process_schedstat(tree.fs(), 20).ok());
}

TEST(ListenDrops, OfTheTargetsNamespace) {
  FakeTree tree;
  tree.write("proc/10/net/netstat", "TcpExt: ListenOverflows ListenDrops\nTcpExt: 4 9\n");
  const auto drops = read_listen_drops(tree.fs(), 10);
  ASSERT_TRUE(drops.ok());
  EXPECT_EQ(drops->overflows.value, 4u);
  EXPECT_EQ(drops->drops.value, 9u);
}

TEST(HostFacts, FromTheTree) {
  FakeTree tree;
  tree.write("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
  tree.write("proc/sys/kernel/perf_event_paranoid", "2\n");
  tree.write("proc/sys/kernel/kptr_restrict", "x\n");
  tree.write("proc/self/status", "Uid:\t0\t5\t0\t0\nCapEff:\t0000008000000000\nCapBnd:\t1\n");
  tree.write("proc/self/mountinfo", "1 1 0:1 / /t rw - tracefs tracefs rw\n");
  tree.link("proc/self/ns/pid", "pid:[4026532000]");
  tree.write("sys/kernel/btf/vmlinux", "");
  tree.write("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
  tree.write("sys/devices/system/cpu/online", "0-3\n");
  const HostFacts facts = read_host_facts(tree.fs());
  EXPECT_EQ(facts.kernel_release, "6.1.0-18-amd64");
  EXPECT_TRUE(facts.btf);
  EXPECT_EQ(facts.lockdown, "integrity");
  EXPECT_EQ(facts.tracefs, "/t");
  EXPECT_EQ(facts.perf_event_paranoid, 2);
  EXPECT_FALSE(facts.kptr_restrict.has_value());
  EXPECT_FALSE(facts.unprivileged_bpf_disabled.has_value());
  EXPECT_EQ(facts.online_cpus, 4u);
  EXPECT_EQ(facts.uid, 5u);
  EXPECT_TRUE(facts.own_pid_namespace);
  EXPECT_TRUE(has_capability(facts, LinuxCapability::kBpf));
  EXPECT_FALSE(has_capability(facts, LinuxCapability::kPerfmon));
  EXPECT_EQ(capability_name(LinuxCapability::kBpf), "CAP_BPF");
}

TEST(HostFacts, AdminStandsForItsParts) {
  HostFacts facts;
  facts.cap_effective = std::uint64_t{1} << 21;
  EXPECT_TRUE(has_capability(facts, LinuxCapability::kPerfmon));
  EXPECT_TRUE(has_capability(facts, LinuxCapability::kSyslog));
  EXPECT_FALSE(has_capability(facts, LinuxCapability::kSysPtrace));
}

TEST(HostFacts, EmptyTreeGivesDefaults) {
  FakeTree tree;
  const HostFacts facts = read_host_facts(tree.fs());
  EXPECT_EQ(facts.kernel_release, "");
  EXPECT_FALSE(facts.btf);
  EXPECT_EQ(facts.tracefs, "");
  EXPECT_FALSE(facts.own_pid_namespace);
  EXPECT_EQ(parse_lockdown("]none["), "");
}

}  // namespace
}  // namespace srvprof
