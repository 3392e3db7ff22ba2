#include "analyze/compare.h"

#include <gtest/gtest.h>

#include <random>

#include "scenario.h"

namespace srvprof {
namespace {

// A steady run; `slow` is what 2 % of the requests wait for.
Scenario run(unsigned seed, double rate, Duration length = 12s,
             const std::vector<Part>& slow = {}) {
  Scenario s(length);
  s.process(77, "hey", true);
  s.process(500, "hog");
  s.trace.tasks[500] = {500, 500, 0, 0, 0, 0, "hog"};
  std::mt19937 random(seed);
  std::exponential_distribution<double> gap(rate);
  std::lognormal_distribution<double> factor(0, 0.3);
  const RouteId route = s.route("GET /");
  std::size_t n = 0;
  for (Duration t{}; t < length; ++n) {
    std::vector<Part> parts{
        {State::kCpu, Duration(static_cast<std::int64_t>(1e6 * factor(random)))}};
    if (n % 50 == 25) parts.insert(parts.end(), slow.begin(), slow.end());
    s.request(route, t, parts);
    t += Duration(static_cast<std::int64_t>(gap(random) * 1e9));
  }
  return s;
}

void use(Scenario& s, std::uint32_t pid, const char* comm, double cpus, double runq) {
  const auto seconds = static_cast<int>(to_seconds(s.trace.t_end - s.trace.t_begin));
  for (int i = 1; i <= seconds; ++i) {
    s.trace.cpu_use.push_back({s.at(1s * i), pid, comm, static_cast<std::uint64_t>(cpus * 1e9),
                               static_cast<std::uint64_t>(runq * 1e9), 1'000'000'000});
  }
}

Comparison compared(const Scenario& a, const Scenario& b, const CompareOptions& options = {}) {
  return compare(a.trace, a.report(), b.trace, b.report(), options);
}

TEST(Compare, EqualRunsHaveNoDifference) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Comparison c = compared(run(seed, 300), run(seed + 100, 300));
    EXPECT_EQ(c.refused, "");
    EXPECT_FALSE(c.different) << c.verdict.front();
    EXPECT_TRUE(mentions(c.verdict, "no difference"));
  }
}

TEST(Compare, LessThanAMillisecondOfATailIsNoDifference) {
  const Comparison c =
      compared(run(1, 300), run(2, 300, 12s, {{State::kRunqWake, 900us, task(500)}}));
  EXPECT_FALSE(c.different) << c.verdict.front();
  EXPECT_TRUE(
      compared(run(1, 300), run(2, 300, 12s, {{State::kRunqWake, 4ms, task(500)}})).different);
}

TEST(Compare, NamesTheStarvedGeneratorAndWhoTookTheCpus) {
  Scenario a = run(1, 400), b = run(2, 150);
  use(a, 100, "server", 0.85, 0.3);
  use(a, 77, "hey", 0.9, 0.5);
  use(b, 100, "server", 0.3, 0.2);
  use(b, 77, "hey", 0.4, 2.4);
  for (std::uint32_t pid = 500; pid < 508; ++pid) use(b, pid, "hog", 0.16, 0.8);
  const Comparison c = compared(a, b);
  EXPECT_TRUE(c.different);
  EXPECT_TRUE(mentions(c.verdict, "throughput"));
  EXPECT_TRUE(mentions(c.verdict, "the load generator (hey) starved in the second run"));
  EXPECT_TRUE(mentions(c.verdict, "hog (8 processes) used 1.28 CPUs more"));
  // The other way round it is the first run.
  EXPECT_TRUE(mentions(compared(b, a).verdict, "starved in the first run"));
}

TEST(Compare, ANewCauseIsNamed) {
  const Comparison c =
      compared(run(1, 300), run(2, 300, 12s, {{State::kRunqWake, 20ms, task(500)}}));
  EXPECT_TRUE(c.different);
  EXPECT_TRUE(mentions(c.verdict, "p99"));
  EXPECT_TRUE(mentions(c.verdict, "hog"));
  ASSERT_FALSE(c.phases.empty());
  ASSERT_FALSE(c.phases[0].routes.empty());
  const RouteChange& route = c.phases[0].routes[0];
  ASSERT_FALSE(route.tail.empty());
  EXPECT_EQ(route.tail[0].state, State::kRunqWake);
  ASSERT_FALSE(route.causes.empty());
  EXPECT_EQ(route.causes[0].cause, "runq-neighbour");
}

TEST(Compare, RefusesWhatDoesNotMatch) {
  Scenario marked = run(2, 300);
  marked.trace.phase_marks.push_back({marked.at(0s), "one", "mark"});
  marked.trace.phase_marks.push_back({marked.at(6s), "two", "mark"});
  const Comparison c = compared(run(1, 300), marked);
  EXPECT_NE(c.refused.find("phases do not match"), std::string::npos) << c.refused;
  EXPECT_TRUE(c.phases.empty());
  CompareOptions mixed;
  mixed.mix_phases = true;
  EXPECT_EQ(compared(run(1, 300), marked, mixed).refused, "");
  CompareOptions missing;
  missing.phase = "two";
  EXPECT_NE(compared(run(1, 300), marked, missing).refused.find("no phase 'two'"),
            std::string::npos);
  EXPECT_NE(compared(run(1, 300, 3s), run(2, 300)).refused.find("too short"), std::string::npos);
  EXPECT_NE(compared(Scenario(10s), run(2, 300)).refused, "");
  Scenario other(12s);
  other.ordinary(other.route("GET /other"), 4000, 0s, 12s);
  EXPECT_NE(compared(run(1, 300), other).refused.find("no route in common"), std::string::npos);
}

// A starved generator comes up slowly: what is left without its warm-up may be too short.
TEST(Compare, MixedPhasesTakeTheWarmUpWhereTooLittleIsLeft) {
  Scenario late = run(2, 300, 7s);
  late.trace.phase_marks.push_back({late.at(0s), "warm-up", "mark"});
  late.trace.phase_marks.push_back({late.at(5s), "steady", "mark"});
  CompareOptions mixed;
  mixed.mix_phases = true;
  const Comparison c = compared(run(1, 300, 7s), late, mixed);
  EXPECT_EQ(c.refused, "");
  ASSERT_EQ(c.phases.size(), 1u);
  EXPECT_EQ(c.phases[0].blocks_b, 7u);
}

TEST(Compare, ConnectionsMigrationsAndGcAreFacts) {
  Scenario a = run(1, 300), b = run(2, 300);
  a.trace.migrations.resize(1);
  b.trace.migrations.resize(1);
  for (int i = 0; i < 120; ++i) {
    b.trace.migrations[0].push_back({b.at(100ms * i), 100, 0, 1});
    rows::Span span;
    span.t_begin = b.at(100ms * i);
    span.t_end = b.at(100ms * i + 2ms);
    span.name = "gc.stw";
    b.trace.spans.push_back(span);
  }
  const Comparison c = compared(a, b);
  const auto fact = [&](std::string_view name) {
    for (const Change& f : c.facts) {
      if (f.name == name) return f;
    }
    ADD_FAILURE() << name;
    return Change{};
  };
  EXPECT_NEAR(fact("migrations of target threads").b, 10, 0.5);
  EXPECT_EQ(fact("migrations of target threads").a, 0);
  EXPECT_NEAR(fact("garbage collector's pauses").b, 10, 0.5);
  EXPECT_NEAR(fact("garbage collector's pauses, time").b, 20, 1);
}

}  // namespace
}  // namespace srvprof
