#include "analyze/phases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "scenario.h"

namespace srvprof {
namespace {

// `rate` requests a second over [from, to), with latencies around `latency`.
void load(Scenario& s, Duration from, Duration to, double rate, Duration latency,
          unsigned seed = 1) {
  std::mt19937 random(seed);
  std::exponential_distribution<double> gap(rate);
  std::lognormal_distribution<double> factor(0, 0.3);
  const RouteId route = s.route("GET /");
  for (Duration t = from;;) {
    t += Duration(static_cast<std::int64_t>(gap(random) * 1e9));
    if (t >= to) return;
    const double ns = static_cast<double>(latency.count()) * factor(random);
    s.request(route, t, {{State::kCpu, Duration(static_cast<std::int64_t>(ns))}});
  }
}

std::vector<std::string> names(const std::vector<LoadPhase>& phases) {
  std::vector<std::string> out;
  for (const LoadPhase& p : phases) out.push_back(p.name);
  return out;
}

void expect_tiling(const Scenario& s, const std::vector<LoadPhase>& phases) {
  ASSERT_FALSE(phases.empty());
  EXPECT_EQ(phases.front().begin, s.trace.t_begin);
  EXPECT_EQ(phases.back().end, s.trace.t_end);
  std::uint64_t requests = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (i > 0) {
      EXPECT_EQ(phases[i].begin, phases[i - 1].end);
    }
    EXPECT_LT(phases[i].begin, phases[i].end);
    EXPECT_FALSE(phases[i].why.empty());
    requests += phases[i].requests;
  }
  EXPECT_EQ(requests, s.trace.requests.size());
}

TEST(Phases, IdleThenLoadThenIdle) {
  Scenario s(20s);
  load(s, 4s, 16s, 500, 1ms);
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"idle", "steady", "idle-2"}));
  expect_tiling(s, phases);
  EXPECT_NEAR(to_seconds(phases[1].begin - s.trace.t_begin), 4.0, 0.3);
  EXPECT_NEAR(to_seconds(phases[1].end - s.trace.t_begin), 16.0, 0.3);
  EXPECT_NE(phases[1].why.find("throughput 0/s -> "), std::string::npos) << phases[1].why;
}

TEST(Phases, WarmUpIsFasterLater) {
  Scenario s(20s);
  load(s, 0s, 3s, 300, 4ms);
  load(s, 3s, 20s, 900, 1ms, 2);
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"warm-up", "steady"}));
  EXPECT_NEAR(to_seconds(phases[1].begin - s.trace.t_begin), 3.0, 0.5);
  expect_tiling(s, phases);
}

TEST(Phases, SteadyLoadIsOnePhase) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Scenario s(20s);
    load(s, 0s, 20s, 800, 1ms, seed);
    EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"})) << seed;
  }
}

// `connections` that send one after the other, `rate` together, and wait about `wait` for each answer.
void paced(Scenario& s, Duration from, Duration to, double rate, int connections, Duration wait = 200us) {
  const RouteId route = s.route("GET /");
  while (s.trace.conns.size() < 64) s.trace.conns.push_back(s.trace.conns.front());
  const Duration gap(static_cast<std::int64_t>(1e9 / rate));
  int n = 0;
  for (Duration t = from; t < to; t += gap, ++n) {
    s.request(route, t, {{State::kCpu, wait + 1us * (n % 7)}});
    s.last().conn = ConnId{static_cast<std::uint32_t>(n % connections + 1)};
  }
}

// A load command comes up some time after attach and ends before detach: too short to be idle phases, and no
// other levels of the load either, although the bins there hold fewer requests and connections.
TEST(Phases, ALoadThatBeginsWithinABinIsOnePhase) {
  for (const Duration late : {0ms, 60ms, 240ms, 270ms, 380ms, 490ms}) {
    for (const Duration early : {0ms, 130ms, 255ms, 480ms}) {
      Scenario s(8s);
      paced(s, late, 8s - early, 1500, 16);
      EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}))
          << to_ms(late) << " " << to_ms(early);
      Scenario random(8s);
      load(random, late, 8s - early, 1500, 1ms);
      EXPECT_EQ(names(load_phases(random.trace)), (std::vector<std::string>{"steady"}))
          << to_ms(late) << " " << to_ms(early);
    }
  }
}

// Throughput that rises while the server is as fast as before: one signal.
TEST(Phases, AServerThatIsNotFasterIsNotWarmer) {
  Scenario s(12s);
  load(s, 0s, 1500ms, 700, 1050us);
  load(s, 1500ms, 12s, 970, 1ms, 2);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

// A closed loop's throughput follows its server: no other load.
TEST(Phases, AServersFluctuationIsNoBoundary) {
  Scenario s(20s);
  load(s, 0s, 8s, 1000, 1ms);
  load(s, 8s, 12s, 760, 1300us, 2);
  load(s, 12s, 20s, 1000, 1ms, 3);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

// At the same rate over the same connections an open loop needs more of them at a time.
TEST(Phases, AnOpenLoopsSlowerServerIsNoOtherLoad) {
  Scenario s(8s);
  paced(s, 0s, 2s, 1500, 12, 390us);
  paced(s, 2s, 5s, 1500, 5, 190us);
  paced(s, 5s, 8s, 1500, 15, 450us);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

// But a saturated server under a closed loop answers no more where others connect, only slower.
TEST(Phases, MoreConnectionsAtTheSameRateAreAnotherLoad) {
  Scenario s(12s);
  paced(s, 0s, 6s, 1500, 12, 200us);
  paced(s, 6s, 12s, 1500, 30, 500us);
  for (std::size_t i = 12; i < 30; ++i) s.trace.conns[i].t_open = s.at(6s);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady", "steady-2"}));
}

TEST(Phases, OneSignalAloneIsNoBoundary) {
  Scenario s(20s);
  load(s, 0s, 10s, 800, 1ms);
  load(s, 10s, 20s, 800, 3ms, 2);  // slower at the same rate: the load did not change
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

TEST(Phases, TwoLevelsOfLoad) {
  Scenario s(20s);
  load(s, 0s, 10s, 400, 1ms);
  load(s, 10s, 20s, 1500, 3ms, 2);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady", "steady-2"}));
}

// `connections` that each send, wait 1 ms for the answer and think for 19 ms; their number goes
// from `first` to `last` over the time.
void users(Scenario& s, Duration from, Duration to, double first, double last) {
  struct Sent {
    Duration t;
    int conn;
  };
  std::vector<Sent> sent;
  for (int c = 0; c < static_cast<int>(std::max(first, last)); ++c) {
    for (Duration t = from + 20ms * c / 40; t < to; t += 20ms) {
      const double share = to_seconds(t - from) / to_seconds(to - from);
      if (c < first + (last - first) * share) sent.push_back({t, c});
    }
  }
  std::stable_sort(sent.begin(), sent.end(),
                   [](const Sent& a, const Sent& b) { return a.t < b.t; });
  const RouteId route = s.route("GET /");
  while (s.trace.conns.size() < 64) s.trace.conns.push_back(s.trace.conns.front());
  for (const Sent& r : sent) {
    s.request(route, r.t, {{State::kCpu, 1ms}});
    s.last().conn = ConnId{static_cast<std::uint32_t>(r.conn + 1)};
  }
}

TEST(Phases, StepsBelowSaturation) {
  Scenario s(24s);
  users(s, 2s, 7s, 4, 4);
  users(s, 7s, 12s, 8, 8);
  users(s, 12s, 17s, 20, 20);
  users(s, 17s, 22s, 6, 6);
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"idle", "steady", "steady-2", "steady-3",
                                                     "steady-4", "idle-2"}));
  ASSERT_EQ(phases.size(), 6u);
  for (std::size_t i = 1; i < 6; ++i) {
    EXPECT_NEAR(to_seconds(phases[i].begin - s.trace.t_begin), 2 + 5 * (static_cast<double>(i) - 1),
                0.5);
  }
  EXPECT_NE(phases[2].why.find("connections 4 -> 8"), std::string::npos) << phases[2].why;
  expect_tiling(s, phases);
}

TEST(Phases, ARampIsOnePhase) {
  Scenario s(20s);
  users(s, 0s, 6s, 4, 4);
  users(s, 6s, 13s, 4, 32);
  users(s, 13s, 20s, 32, 32);
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"steady", "ramp", "steady-2"}));
  ASSERT_EQ(phases.size(), 3u);
  EXPECT_NEAR(to_seconds(phases[1].begin - s.trace.t_begin), 6, 3);
  EXPECT_NEAR(to_seconds(phases[1].end - s.trace.t_begin), 13, 3);
}

TEST(Phases, ASpikeAndADrain) {
  Scenario s(20s);
  users(s, 0s, 7s, 4, 4);
  users(s, 7s, 9s, 30, 30);
  users(s, 9s, 15s, 4, 4);
  EXPECT_EQ(names(load_phases(s.trace)),
            (std::vector<std::string>{"steady", "spike", "steady-2", "idle"}));
  Scenario down(20s);
  users(down, 0s, 8s, 32, 32);
  users(down, 8s, 15s, 32, 1);
  EXPECT_EQ(names(load_phases(down.trace)), (std::vector<std::string>{"steady", "drain", "idle"}));
}

TEST(Phases, OverloadIsNamed) {
  Scenario s(20s);
  load(s, 0s, 8s, 100, 5ms);
  // Arrivals at twice what one server of 5 ms each gets done: each waits longer than the one
  // before.
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 3200; ++i) {
    s.request(route, 8s + 2500us * i, {{State::kBehind, 2500us * i}, {State::kCpu, 5ms}});
  }
  const auto phases = load_phases(s.trace);
  ASSERT_GE(phases.size(), 2u);
  EXPECT_EQ(phases[1].name, "overload");
  EXPECT_NEAR(to_seconds(phases[1].begin - s.trace.t_begin), 8, 0.5);
}

TEST(Phases, TheLoadCommandsStartAndEndAreKnown) {
  Scenario s(20s);
  load(s, 4s, 16s, 500, 1ms);
  rows::Load command;
  command.t_start = s.at(3900ms);
  command.t_end = s.at(16100ms);
  s.trace.loads.push_back(command);
  auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"idle", "steady", "idle-2"}));
  EXPECT_EQ(phases[1].begin, s.at(3900ms));
  EXPECT_EQ(phases[1].end, s.at(16100ms));
  EXPECT_EQ(phases[1].why, "srvprof started the load");
  s.trace.loads[0].t_end = s.at(19900ms);  // it went on thinking: nothing is left to be idle
  phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"idle", "steady"}));
  expect_tiling(s, phases);
}

TEST(Phases, AStallIsNotIdle) {
  Scenario s(20s);
  load(s, 0s, 8s, 500, 1ms);
  s.request(s.route("GET /"), 8s, {{State::kStopped, 3s}});  // a closed loop waits for it
  load(s, 11s, 20s, 500, 1ms, 2);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

TEST(Phases, ThinLoadIsNotChoppedUp) {
  Scenario s(30s);
  load(s, 0s, 30s, 2, 1ms);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

TEST(Phases, ShortRunIsOnePhase) {
  Scenario s(3s);
  load(s, 0s, 1s, 300, 9ms);
  load(s, 1s, 3s, 2000, 1ms, 2);
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"steady"}));
}

TEST(Phases, MarksOverride) {
  Scenario s(20s);
  load(s, 0s, 20s, 500, 1ms);
  s.trace.phase_marks.push_back({s.at(0s), "load", "load-start"});
  s.trace.phase_marks.push_back({s.at(5s), "before", "mark"});
  s.trace.phase_marks.push_back({s.at(12s), "after", "mark"});
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"unmarked", "before", "after"}));
  EXPECT_EQ(phases[2].begin, s.at(12s));
  expect_tiling(s, phases);
}

// A recording from elsewhere may hold anything.
TEST(Phases, ManyMarksOfOneName) {
  Scenario s(20s);
  load(s, 0s, 20s, 50, 1ms);
  for (int i = 0; i < 50'000; ++i) s.trace.phase_marks.push_back({s.at(100us * i), "x", "mark"});
  const auto phases = load_phases(s.trace);
  ASSERT_EQ(phases.size(), 50'000u);
  EXPECT_EQ(phases[0].name, "x");
  EXPECT_EQ(phases[49'999].name, "x-50000");
}

TEST(Phases, NothingRecorded) {
  Scenario s(5s);
  const auto phases = load_phases(s.trace);
  ASSERT_EQ(phases.size(), 1u);
  EXPECT_TRUE(is_idle(phases[0]));
  s.trace.t_end = s.trace.t_begin;
  EXPECT_FALSE(load_phases(s.trace).empty());
}

TEST(Phases, PhaseAt) {
  const Time t = time_from_ns(1'000'000'000);
  const std::vector<LoadPhase> phases{{"a", t, t + 1s, "", 0}, {"b", t + 1s, t + 2s, "", 0}};
  EXPECT_EQ(phase_at(phases, t - 1s), 0u);
  EXPECT_EQ(phase_at(phases, t), 0u);
  EXPECT_EQ(phase_at(phases, t + 1s), 1u);
  EXPECT_EQ(phase_at(phases, t + 9s), 1u);
}

}  // namespace
}  // namespace srvprof
