#include "analyze/machine.h"

#include <gtest/gtest.h>

#include "analyze/facts.h"
#include "analyze/phases.h"
#include "scenario.h"

namespace srvprof {
namespace {

OffInterval blocked(Time from, Time to) {
  OffInterval off;
  off.t_out = from;
  off.t_wake = off.t_in = off.t_throttle = off.t_throttle_end = to;
  return off;
}

// CPU use of `pid` in each second of the run.
void use(Scenario& s, std::uint32_t pid, const char* comm, double cpus, double runq) {
  for (int i = 1; i <= 10; ++i) {
    s.trace.cpu_use.push_back({s.at(1s * i), pid, comm, static_cast<std::uint64_t>(cpus * 1e9),
                               static_cast<std::uint64_t>(runq * 1e9), 1'000'000'000});
  }
}

TEST(Machine, AveragesByCpuUse) {
  Scenario s;
  s.process(77, "wrk", true);
  use(s, 100, "server", 0.25, 0.1);
  use(s, 77, "wrk", 0.9, 0.5);
  s.trace.cpu_use.push_back({s.at(1s), 78, "brief", 500'000'000, 0, 1'000'000'000});
  const auto m = machine_use(s.trace);
  ASSERT_EQ(m.size(), 3u);
  EXPECT_EQ(m[0].pid, 77u);
  EXPECT_TRUE(m[0].load_generator);
  EXPECT_NEAR(m[0].cpus, 0.9, 1e-9);
  EXPECT_TRUE(m[1].target);
  EXPECT_NEAR(m[2].cpus, 0.05, 1e-9);  // half a second in ten
}

TEST(Machine, UseOfAPhaseIsThatOfItsTime) {
  Scenario s;
  s.process(77, "wrk", true);
  for (int i = 1; i <= 10; ++i) {
    s.trace.cpu_use.push_back(
        {s.at(1s * i), 100, "server", i > 5 ? 800'000'000u : 0u, 0, 1'000'000'000});
    s.trace.cpu_use.push_back(
        {s.at(1s * i), 77, "wrk", 200'000'000, i > 5 ? 400'000'000u : 0u, 1'000'000'000});
  }
  std::vector<LoadPhase> phases{{"a", s.at(0s), s.at(4500ms), "", 0},
                                {"b", s.at(4500ms), s.at(10s), "", 0}};
  add_phase_use(s.trace, phases);
  EXPECT_TRUE(phases[0].cpu_known);
  EXPECT_NEAR(phases[0].target_cpus, 0, 1e-9);
  EXPECT_NEAR(phases[0].generator_cpus, 0.2, 1e-9);
  EXPECT_NEAR(phases[1].target_cpus, 0.8 * 5 / 5.5, 1e-9);
  EXPECT_NEAR(phases[1].generator_runq, 0.4 * 5 / 5.5, 1e-9);
  EXPECT_NEAR(phases[1].machine_cpus, 0.2 + 0.8 * 5 / 5.5, 1e-9);
}

TEST(Machine, IdleShareIsTheUnionOfTheThreads) {
  Scenario s;
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  s.thread(101, "worker", ThreadRole::kPoolWorker);
  // The loop works in the first 3 s; the worker from 2 s to 5 s.
  s.trace.threads[0].off.push_back(blocked(s.at(3s), s.at(10s)));
  s.trace.threads[1].off.push_back(blocked(s.at(0s), s.at(2s)));
  s.trace.threads[1].off.push_back(blocked(s.at(5s), s.at(10s)));
  const auto idle = target_idle_share(s.trace, load_phases(s.trace));
  ASSERT_TRUE(idle);
  EXPECT_NEAR(*idle, 0.5, 0.01);
}

TEST(Machine, WaitingForACpuIsNotIdle) {
  Scenario s;
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  OffInterval off = blocked(s.at(0s), s.at(4s));
  off.t_in = s.at(10s);  // woken at 4 s, on a CPU at 10 s
  s.trace.threads[0].off.push_back(off);
  EXPECT_NEAR(*target_idle_share(s.trace, load_phases(s.trace)), 0.4, 0.01);
}

Scenario starved_client(double generator_runq, double other) {
  Scenario s;
  s.process(77, "hey", true);
  s.process(88, "burn");
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  for (int i = 0; i < 10; ++i) {
    s.trace.threads[0].off.push_back(blocked(s.at(1s * i + 200ms), s.at(1s * i + 1s)));
  }
  use(s, 100, "server", 0.2, 0.01);
  use(s, 77, "hey", 0.3, generator_runq);
  use(s, 88, "burn", other, 2);
  return s;
}

TEST(Machine, TheTargetIdlesWhileTheClientStarves) {
  const Report r = starved_client(3, 1.4).report();
  EXPECT_NE(r.verdict[0].find(
                "the load generator, not the server: the target was idle for 80 % of the time"),
            std::string::npos)
      << r.verdict[0];
  const Finding* f = find(r.groups[0], "client-side");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->culprits.size(), 2u);
  EXPECT_TRUE(mentions(f->evidence, "its threads waited 3.00 s a second"));
  EXPECT_NEAR(r.header.target_idle_share, 0.8, 0.01);
}

TEST(Machine, AnIdleTargetAloneIsNoFinding) {
  EXPECT_FALSE(find(starved_client(0.05, 0.1).report().groups[0], "client-side"));
  EXPECT_FALSE(find(starved_client(0.05, 1.4).report().groups[0], "client-side"));
  EXPECT_FALSE(find(starved_client(0.2, 1.4).report().groups[0], "client-side"));
}

TEST(Facts, OwnersOfTasks) {
  Scenario s;
  s.process(77, "wrk", true);
  s.process(88, "burn");
  s.trace.tasks[150] = {150, 100, 0, 1, 0, 0, "clone"};  // of the target, no timeline
  EXPECT_EQ(owner_of(s.trace, 100), Owner::kTarget);
  EXPECT_EQ(owner_of(s.trace, 150), Owner::kTarget);
  EXPECT_EQ(owner_of(s.trace, 77), Owner::kLoadGenerator);
  EXPECT_EQ(owner_of(s.trace, 88), Owner::kOther);
  EXPECT_EQ(owner_of(s.trace, 0), Owner::kUnknown);
  EXPECT_EQ(owner_of(s.trace, 4711), Owner::kUnknown);
  EXPECT_EQ(task_words(s.trace, 88), "burn (pid 88)");
  s.kernel_thread(9, "rcu_preempt");
  EXPECT_EQ(task_words(s.trace, 9), "rcu_preempt (kernel thread)");
}

TEST(Facts, CountersAreDifferencesWithinThePhase) {
  Scenario s;
  for (int i = 0; i <= 10; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    s.trace.cgroup_cpu.push_back({s.at(1s * i), "/a", 1, 2, n * 10, n, n * 7});
    s.trace.counters.push_back({s.at(1s * i), "steal_ns.cpu0", n * 100});
    s.trace.counters.push_back({s.at(1s * i), "steal_ns.cpu1", n});
  }
  const QuotaUse q = quota_use(s.trace, s.at(2500ms), s.at(6500ms));
  EXPECT_EQ(q.periods, 50u);  // rows of 2 s and 7 s
  EXPECT_EQ(q.throttled, 5u);
  EXPECT_EQ(counter_growth(s.trace, "steal_ns.", s.at(2500ms), s.at(6500ms)), 505u);
  EXPECT_FALSE(counter_growth(s.trace, "tcp.", s.at(0s), s.at(1s)));
}

}  // namespace
}  // namespace srvprof
