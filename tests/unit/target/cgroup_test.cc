#include "target/cgroup.h"

#include <gtest/gtest.h>

#include "fake_tree.h"

namespace srvprof {
namespace {

using std::chrono::milliseconds;

TEST(Quota, BothForms) {
  ASSERT_TRUE(parse_cpu_max("50000 100000\n"));
  EXPECT_EQ(parse_cpu_max("50000 100000\n")->quota, milliseconds(50));
  EXPECT_DOUBLE_EQ(parse_cpu_max("150000 100000")->cpus(), 1.5);
  ASSERT_TRUE(parse_cfs_quota("25000\n", "100000\n"));
  EXPECT_DOUBLE_EQ(parse_cfs_quota("25000\n", "100000\n")->cpus(), 0.25);
  for (const char* none :
       {"max 100000", "", "5", "5 0", "0 5", "-1 5", "x y", "9223372036854775807 100000"}) {
    EXPECT_FALSE(parse_cpu_max(none)) << none;
  }
  EXPECT_FALSE(parse_cfs_quota("-1", "100000"));
}

TEST(CpuStat, BothVersions) {
  const auto v1 = parse_cpu_stat("nr_periods 10\nnr_throttled 3\nthrottled_time 5000000\n");
  EXPECT_TRUE(v1.measured);
  EXPECT_EQ(v1.periods, 10u);
  EXPECT_EQ(v1.throttled_periods, 3u);
  EXPECT_EQ(v1.throttled, milliseconds(5));
  const auto v2 =
      parse_cpu_stat("usage_usec 7\nnr_periods 1\nnr_throttled 1\nthrottled_usec 2000\n");
  EXPECT_EQ(v2.throttled, milliseconds(2));
  EXPECT_FALSE(parse_cpu_stat("usage_usec 7\n").measured);
  EXPECT_FALSE(parse_cpu_stat("nr_periods -4\nnr_periods\nnr_periods x\n").measured);
}

TEST(Mountinfo, EscapesAndOptionalFields) {
  const auto mounts = parse_mountinfo(
      "31 23 0:28 /docker/x /sys/fs/cgroup/cpu\\040acct rw,relatime shared:9 master:1 - cgroup cg "
      "rw,cpu,cpuacct\n"
      "32 23 0:29 / /t rw - tracefs tracefs rw\nbroken line\n33 1 0:1 / /x rw\n");
  ASSERT_EQ(mounts.size(), 2u);
  EXPECT_EQ(mounts[0].root, "/docker/x");
  EXPECT_EQ(mounts[0].mount_point, "/sys/fs/cgroup/cpu acct");
  EXPECT_EQ(mounts[0].type, "cgroup");
  EXPECT_EQ(mounts[0].super_options, (std::vector<std::string>{"rw", "cpu", "cpuacct"}));
  EXPECT_EQ(mounts[1].type, "tracefs");
}

TEST(CgroupDirectory, RootsAndNamespaces) {
  const Mount whole{"/", "/sys/fs/cgroup", "cgroup2", {}};
  EXPECT_EQ(cgroup_directory(whole, "/"), "/sys/fs/cgroup");
  EXPECT_EQ(cgroup_directory(whole, "/a/b"), "/sys/fs/cgroup/a/b");
  EXPECT_FALSE(cgroup_directory(whole, "/../other"));
  const Mount part{"/docker/x", "/cg", "cgroup", {}};
  EXPECT_EQ(cgroup_directory(part, "/docker/x/y"), "/cg/y");
  EXPECT_EQ(cgroup_directory(part, "/docker/x"), "/cg");
  EXPECT_FALSE(cgroup_directory(part, "/docker/xy"));
  EXPECT_FALSE(cgroup_directory(part, "/docker"));
}

TEST(CpuCgroup, V2SmallestQuotaOfTheAncestorsCounts) {
  FakeTree tree;
  const std::string root = tree.path() + "/cg";
  tree.write("proc/self/mountinfo", "1 1 0:1 / " + root + " rw - cgroup2 cgroup2 rw\n");
  tree.write("cg/cpu.stat", "usage_usec 1\n");
  tree.write("cg/a/cpu.max", "50000 100000\n");
  tree.write("cg/a/cpu.stat", "nr_periods 8\nnr_throttled 2\nthrottled_usec 3000\n");
  tree.write("cg/a/b/cpu.max", "100000 100000\n");
  tree.write("cg/a/b/cgroup.events", "populated 1\nfrozen 1\n");
  const std::vector<CgroupMembership> groups{{2, {}, "/a/b"}};

  const auto cgroup = read_cpu_cgroup(tree.fs(), groups);
  ASSERT_TRUE(cgroup.ok()) << cgroup.error().what;
  EXPECT_EQ(cgroup->version, 2);
  ASSERT_EQ(cgroup->levels.size(), 3u);
  EXPECT_EQ(cgroup->levels[0].path, "/a/b");
  EXPECT_EQ(cgroup->levels[2].path, "/");
  EXPECT_EQ(cgroup->levels[2].directory, root);
  EXPECT_NE(cgroup->levels[0].id, cgroup->levels[1].id);
  const auto* level = limiting_level(*cgroup);
  ASSERT_NE(level, nullptr);
  EXPECT_EQ(level->path, "/a");
  const auto throttling = read_cpu_throttling(*level);
  ASSERT_TRUE(throttling.ok());
  EXPECT_EQ(throttling->throttled, milliseconds(3));
  const auto frozen = read_frozen(tree.fs(), groups);
  ASSERT_TRUE(frozen.ok());
  EXPECT_TRUE(*frozen);
}

TEST(CpuCgroup, V1HierarchyWinsOverV2AndMayBeACutMount) {
  FakeTree tree;
  const std::string cpu = tree.path() + "/cpu";
  tree.write("proc/self/mountinfo", "1 1 0:1 / " + tree.path() +
                                        "/unified rw - cgroup2 c rw\n2 1 0:2 /docker/x " + cpu +
                                        " rw - cgroup c rw,cpu,cpuacct\n");
  tree.write("unified/cpu.max", "1000 100000\n");
  tree.write("cpu/web/cpu.cfs_quota_us", "-1\n");
  tree.write("cpu/web/cpu.cfs_period_us", "100000\n");
  tree.write("cpu/cpu.cfs_quota_us", "20000\n");
  tree.write("cpu/cpu.cfs_period_us", "100000\n");
  const std::vector<CgroupMembership> groups{{1, {"cpu", "cpuacct"}, "/docker/x/web"},
                                             {2, {}, "/"}};
  const auto cgroup = read_cpu_cgroup(tree.fs(), groups);
  ASSERT_TRUE(cgroup.ok()) << cgroup.error().what;
  EXPECT_EQ(cgroup->version, 1);
  ASSERT_EQ(cgroup->levels.size(), 2u);
  EXPECT_EQ(cgroup->levels[1].path, "/docker/x");
  EXPECT_FALSE(cgroup->levels[0].quota);
  ASSERT_NE(limiting_level(*cgroup), nullptr);
  EXPECT_DOUBLE_EQ(limiting_level(*cgroup)->quota->cpus(), 0.2);
}

TEST(CpuCgroup, SaysWhyItIsNotMeasured) {
  FakeTree tree;
  tree.write("proc/self/mountinfo", "1 1 0:1 / " + tree.path() + "/cg rw - cgroup2 cgroup2 rw\n");
  const auto outside = read_cpu_cgroup(tree.fs(), {{2, {}, "/../other"}});
  ASSERT_FALSE(outside.ok());
  EXPECT_NE(outside.error().what.find("outside"), std::string::npos);
  const auto unmounted = read_cpu_cgroup(tree.fs(), {{1, {"cpu"}, "/"}});
  ASSERT_FALSE(unmounted.ok());
  EXPECT_NE(unmounted.error().what.find("not mounted"), std::string::npos);
  EXPECT_FALSE(read_cpu_cgroup(tree.fs(), {}).ok());
}

TEST(Frozen, V1) {
  FakeTree tree;
  tree.write("proc/self/mountinfo", "1 1 0:1 / " + tree.path() + "/f rw - cgroup c rw,freezer\n");
  tree.write("f/x/freezer.state", "FREEZING\n");
  const std::vector<CgroupMembership> groups{{1, {"freezer"}, "/x"}};
  EXPECT_TRUE(*read_frozen(tree.fs(), groups));
  tree.write("f/x/freezer.state", "THAWED\n");
  EXPECT_FALSE(*read_frozen(tree.fs(), groups));
}

}  // namespace
}  // namespace srvprof
