#include "analyze/gate.h"

#include <gtest/gtest.h>

#include "scenario.h"

namespace srvprof {
namespace {

Limit latency(const char* name, const char* text) {
  Result<Limit> limit = parse_latency_limit(name, text);
  EXPECT_TRUE(limit.ok()) << text;
  return limit.ok() ? *limit : Limit{};
}

// 1 % of 4,000 requests wait 20 ms for a neighbour.
Scenario neighbour() {
  Scenario s(20s);
  s.process(500, "hog");
  s.trace.tasks[500] = {500, 500, 0, 0, 0, 0, "hog"};
  s.mixed(s.route("GET /"), 4000, 80, {{State::kRunqWake, 20ms, task(500)}});
  return s;
}

TEST(Gate, LatencyLimits) {
  const Report report = neighbour().report();
  EXPECT_TRUE(check_limits(report, {latency("p50", "<2ms")}, "").passed);
  EXPECT_FALSE(check_limits(report, {latency("p99", "<2ms")}, "").passed);
  EXPECT_TRUE(check_limits(report, {latency("p99", "<0.1s")}, "").passed);
  EXPECT_FALSE(check_limits(report, {latency("p99", ">0.1s")}, "").passed);
  EXPECT_FALSE(check_limits(report, {latency("max", "20ms")}, "").passed);
  EXPECT_TRUE(check_limits(report, {latency("max", "<=21000us")}, "").passed);
  // All of them must be kept.
  EXPECT_FALSE(check_limits(report, {latency("p50", "<2ms"), latency("p99", "<2ms")}, "").passed);
}

TEST(Gate, CauseLimits) {
  const Report report = neighbour().report();
  const Result<Limit> low = parse_cause_limit("runq-neighbour<10%");
  const Result<Limit> other = parse_cause_limit("cpu-quota<10%");
  ASSERT_TRUE(low.ok() && other.ok());
  const Gate gate = check_limits(report, {*low, *other}, "");
  EXPECT_FALSE(gate.passed);
  ASSERT_EQ(gate.results.size(), 2u);
  EXPECT_FALSE(gate.results[0].passed);
  EXPECT_GT(gate.results[0].value, 0.9);
  EXPECT_TRUE(gate.results[1].passed);
}

TEST(Gate, ThroughputErrorsAndLosses) {
  Scenario s = neighbour();
  for (std::size_t i = 0; i < 80; ++i) s.trace.requests[i * 50].status = 500;
  const Report report = s.report();
  const auto gate = [&](Result<Limit> limit) {
    EXPECT_TRUE(limit.ok());
    return check_limits(report, {*limit}, "").passed;
  };
  EXPECT_TRUE(gate(parse_rate_limit("throughput", ">150")));
  EXPECT_FALSE(gate(parse_rate_limit("throughput", ">250/s")));
  EXPECT_TRUE(gate(parse_share_limit(LimitKind::kErrors, "errors", "<3%")));
  EXPECT_FALSE(gate(parse_share_limit(LimitKind::kErrors, "errors", "<0.01")));
  EXPECT_TRUE(gate(parse_share_limit(LimitKind::kLost, "lost", "<=0%")));
}

TEST(Gate, WhatCannotBeJudgedIsNotKept) {
  Scenario s(10s);
  s.ordinary(s.route("GET /"), 100, 0s, 10s);
  const Gate gate = check_limits(s.report(), {latency("p99", "<1s")}, "");
  EXPECT_FALSE(gate.passed);
  ASSERT_EQ(gate.results.size(), 1u);
  EXPECT_FALSE(gate.results[0].judged);
  EXPECT_TRUE(check_limits(s.report(), {latency("max", "<1s")}, "").passed);
  EXPECT_FALSE(check_limits(s.report(), {latency("max", "<1s")}, "no such phase").passed);
  EXPECT_FALSE(check_limits(Scenario(5s).report(), {latency("max", "<1s")}, "").passed);
}

TEST(Gate, WhatIsNoLimitIsRefused) {
  for (const char* text :
       {"", "<", "<ms", "40", "<-4ms", "<40 hours", "<nanms", "<1e3ms", "<4ms5"}) {
    EXPECT_FALSE(parse_latency_limit("p99", text).ok()) << text;
  }
  for (const char* text : {"lock", "lock<", "lock<200%", "nonsense<1%", "lock<5ms", "<1%"}) {
    EXPECT_FALSE(parse_cause_limit(text).ok()) << text;
  }
  EXPECT_FALSE(parse_rate_limit("throughput", ">5ms").ok());
}

}  // namespace
}  // namespace srvprof
