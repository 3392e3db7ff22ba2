#include "target/stat.h"

#include <gtest/gtest.h>

#include "fake_tree.h"

namespace srvprof {
namespace {

TEST(Stat, ReadsTheFields) {
  const auto s = parse_proc_stat(stat_line(42, "node", 'S', 7, 0x400000, 123456));
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->pid, 42);
  EXPECT_EQ(s->comm, "node");
  EXPECT_EQ(s->state, 'S');
  EXPECT_EQ(s->ppid, 7);
  EXPECT_EQ(s->min_faults, 11u);
  EXPECT_EQ(s->major_faults, 12u);
  EXPECT_EQ(s->utime_ticks, 130u);
  EXPECT_EQ(s->stime_ticks, 70u);
  EXPECT_EQ(s->nice, -5);
  EXPECT_EQ(s->threads, 4u);
  EXPECT_EQ(s->start_ticks, 123456u);
  EXPECT_FALSE(s->kernel_thread());
  EXPECT_FALSE(s->zombie());
}

TEST(Stat, NameMayHoldAnything) {
  for (const std::string comm : {"a b", "a) R 1 (b", "x\ny", "((((", "))))", ""}) {
    const auto s = parse_proc_stat(stat_line(1, comm, 'Z', 2, 0x208040, 3));
    ASSERT_TRUE(s.ok()) << comm;
    EXPECT_EQ(s->comm, comm);
    EXPECT_EQ(s->ppid, 2);
    EXPECT_EQ(s->start_ticks, 3u);
    EXPECT_TRUE(s->kernel_thread());
    EXPECT_TRUE(s->zombie());
  }
}

TEST(Stat, EveryTruncationIsAnErrorOrWhole) {
  const std::string whole = stat_line(42, "a b) c", 'S', 7, 0, 99999);
  const auto start_end = whole.find("99999") + 5;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const auto s = parse_proc_stat(whole.substr(0, n));
    if (n < whole.find("99999")) {
      EXPECT_FALSE(s.ok()) << n;
    }
    if (n >= start_end) {
      ASSERT_TRUE(s.ok()) << n;
      EXPECT_EQ(s->start_ticks, 99999u);
    }
  }
  EXPECT_FALSE(parse_proc_stat(")(").ok());
}

TEST(Status, ReadsTheFields) {
  const auto s = parse_proc_status(
      "Name:\tTgid: 9\nTgid:\t42\nTracerPid:\t5\nUid:\t1\t2\t3\t4\nNSpid:\t42\t7\t1\n"
      "CapEff:\t000001fffeffffff\nCapBnd:\t0000000000000400\nCpus_allowed_list:\t0-2,5\n");
  EXPECT_EQ(s.tgid, 42);
  EXPECT_EQ(s.tracer, 5);
  EXPECT_EQ(s.uid, 2u);
  EXPECT_EQ(s.ns_pids, (std::vector<pid_t>{42, 7, 1}));
  EXPECT_EQ(s.cap_effective, 0x1fffeffffffu);
  EXPECT_EQ(s.cap_bounding, 0x400u);
  EXPECT_EQ(s.cpus_allowed, "0-2,5");
}

TEST(Status, MalformedFieldsKeepTheirDefault) {
  const auto s = parse_proc_status("Tgid\nUid:\nCapEff:\t1ffffffffffffffffff\nNSpid:\tx\n:::\n\n");
  EXPECT_EQ(s.tgid, 0);
  EXPECT_EQ(s.cap_effective, 0u);
  EXPECT_TRUE(s.ns_pids.empty());
}

TEST(SchedStat, ReadsAndRefuses) {
  const auto s = parse_schedstat("1662860 17 3\n");
  ASSERT_TRUE(s.ok());
  EXPECT_EQ(s->cpu.count(), 1662860);
  EXPECT_EQ(s->run_queue.count(), 17);
  EXPECT_EQ(s->slices, 3u);
  for (const char* bad : {"", "1", "1 2", "a 2 3", "1 2 3x", "99999999999999999999 1 1"}) {
    EXPECT_FALSE(parse_schedstat(bad).ok()) << bad;
  }
}

TEST(Statm, ResidentPages) {
  EXPECT_EQ(parse_statm_resident("1000 25 3 4 0 5 0\n"), 25u);
  EXPECT_FALSE(parse_statm_resident("1000").has_value());
}

TEST(Cmdline, Words) {
  EXPECT_EQ(parse_cmdline(std::string_view("node\0a b\0\0x\0", 12)),
            (std::vector<std::string>{"node", "a b", "", "x"}));
  EXPECT_EQ(parse_cmdline(std::string_view("nginx: worker\0\0\0", 16)),
            (std::vector<std::string>{"nginx: worker"}));
  EXPECT_EQ(parse_cmdline("no-end"), (std::vector<std::string>{"no-end"}));
  EXPECT_TRUE(parse_cmdline("").empty());
}

TEST(CpuList, RangesAndNonsense) {
  EXPECT_EQ(parse_cpu_list("0-2,5\n"), (std::vector<unsigned>{0, 1, 2, 5}));
  EXPECT_EQ(parse_cpu_list("3,1-1,3"), (std::vector<unsigned>{1, 3}));
  EXPECT_EQ(parse_cpu_list("5-2,x,-,,7-"), (std::vector<unsigned>{7}));
  EXPECT_EQ(parse_cpu_list("4094-4294967295").size(), 2u);
  EXPECT_TRUE(parse_cpu_list("").empty());
}

}  // namespace
}  // namespace srvprof
