#include "analyze/coverage.h"

#include <gtest/gtest.h>

#include "scenario.h"
#include "trace/flags.h"

namespace srvprof {
namespace {

const CoverageLine* line(const Report& r, std::string_view topic) {
  for (const CoverageLine& l : r.coverage) {
    if (l.topic == topic) return &l;
  }
  return nullptr;
}

TEST(Coverage, LossesAndWhatWasNotMeasured) {
  Scenario s;
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  s.trace.losses.push_back({s.at(0s), s.at(1s), "ring full: requests", 3});
  s.trace.losses.push_back({s.at(1s), s.at(2s), "ring full: requests", 4});
  s.trace.losses.push_back({s.at(1s), s.at(2s), "stack not readable", 9});
  s.trace.counters.push_back({s.at(5s), "unmeasured.tls", 12});
  s.trace.counters.push_back({s.at(5s), "unmeasured.udp", 0});
  s.trace.capabilities.push_back({"irq", false, "not asked for"});
  s.trace.capabilities.push_back({"tp_btf/sched_switch", true, ""});
  s.trace.read_damage.push_back("one chunk with a bad checksum, 812 bytes");
  s.trace.clean_end = false;
  const Report r = s.report();
  EXPECT_EQ(r.header.lost, 7u);
  ASSERT_TRUE(line(r, "ring full: requests"));
  EXPECT_EQ(line(r, "ring full: requests")->text, "7");
  EXPECT_EQ(line(r, "ring full: requests")->level, CoverageLine::Level::kLoss);
  ASSERT_TRUE(line(r, "TLS"));
  EXPECT_EQ(line(r, "TLS")->level, CoverageLine::Level::kNotMeasured);
  EXPECT_FALSE(line(r, "UDP"));
  EXPECT_TRUE(line(r, "irq"));
  EXPECT_FALSE(line(r, "tp_btf/sched_switch"));
  EXPECT_TRUE(line(r, "damage in the file"));
  EXPECT_TRUE(line(r, "end"));
}

TEST(Coverage, SpecialRequestsAreCounted) {
  Scenario s;
  s.ordinary(s.route("GET /"), 200, 0s, 10s);
  auto& q = s.trace.requests;
  q[198].censored = q[199].censored = true;
  q[1].aborted = true;
  q[2].pipelined = true;
  q[3].stream = true;
  q[4].flags = kReqNoArrival;
  s.trace.left_out_at_attach = 5;
  s.trace.governor.push_back({s.at(3s), 8, "ring"});
  s.trace.governor.push_back({s.at(5s), 1, "calm"});
  const Report r = s.report();
  EXPECT_EQ(line(r, "in flight at the end")->text,
            "2 requests, counted with the time that they had taken (>= 1.0 ms)");
  EXPECT_TRUE(line(r, "aborted") && line(r, "pipelined") && line(r, "streams"));
  EXPECT_EQ(line(r, "in flight at attach")->text, "5 requests, left out");
  EXPECT_TRUE(line(r, "arrival"));
  EXPECT_TRUE(r.header.governor_engaged);
  EXPECT_EQ(r.header.governor_max_one_in, 8u);
  EXPECT_TRUE(line(r, "governor"));
}

TEST(Coverage, OwnCostIsScaledFromTheSampledWindows) {
  Scenario s;
  s.ordinary(s.route("GET /"), 1000, 0s, 10s);
  rows::OwnCost a, b;
  a.t = s.at(0s);
  b.t = s.at(10s);
  a.cpu_ns = 1'000'000'000;
  b.cpu_ns = 1'500'000'000;  // 5 % of one CPU
  b.bpf_run_ns = 50'000;     // in 0.5 s of 10 s: 1 ms in all, 1 us for each of 1000 requests
  b.bpf_sampled_ns = 500'000'000;
  b.rss_bytes = 1 << 20;
  b.ring_bytes = 200'000;
  s.trace.own_cost = {a, b};
  const Report r = s.report();
  EXPECT_EQ(r.header.own_cost_per_request, Duration(1us));
  EXPECT_NEAR(r.header.collector_cpu_share, 0.05, 1e-9);
  EXPECT_EQ(line(r, "probes")->text, "1.00 us of CPU a request");
}

TEST(Coverage, Header) {
  Scenario s;
  s.trace.meta["target.ports"] = "8080,8081";
  s.trace.meta["mode"] = "full";
  s.trace.listeners.push_back({s.at(1s), 100, 8081, 511, "0.0.0.0"});
  s.trace.clocks.push_back({s.trace.t_begin, 1'767'225'600'000'000'000});
  const ReportHeader h = s.report().header;
  EXPECT_EQ(h.pid, 100u);
  EXPECT_EQ(h.ports, (std::vector<std::uint32_t>{8080, 8081}));
  EXPECT_EQ(h.start_utc, "2026-01-01T00:00:00Z");
  EXPECT_EQ(h.mode, "full");
  EXPECT_EQ(h.cpus, 2u);
  EXPECT_EQ(h.duration, Duration(10s));
}

TEST(Coverage, SharesOfCompleteStacks) {
  Scenario s;
  s.ordinary(s.route("GET /"), 100, 0s, 10s);
  s.trace.meta["target.pid"] = "7";
  s.trace.meta["target.runtime"] = "node";
  for (std::uint32_t end = 0; end < 4; ++end) {
    rows::Stack stack;
    stack.hash = 100 + end;
    stack.pid = end == 0 ? 8 : 7;
    stack.pcs = {1, 2};
    stack.end = end;
    s.trace.stacks[stack.hash] = stack;
  }
  for (int i = 0; i < 2000; ++i) {
    rows::Sample sample;
    sample.t = s.at(1s);
    sample.ustack = i == 0 ? 102 : i == 1 ? 103 : i == 2 ? 0 : 101;
    s.trace.samples.push_back(sample);
  }
  ASSERT_FALSE(s.trace.threads.empty());
  OffInterval off;
  off.ustack = 100;
  s.trace.threads.front().off.push_back(off);
  const Report r = s.report();
  ASSERT_TRUE(line(r, "stacks on CPU (node)"));
  EXPECT_EQ(line(r, "stacks on CPU (node)")->text,
            "99.8 % of 1,999 reach the outermost frame of their thread; 1 lost their way; 1 are deeper than what "
            "is kept");
  ASSERT_TRUE(line(r, "stacks off CPU (pid 8)"));
  EXPECT_EQ(line(r, "stacks off CPU (pid 8)")->text,
            "1 followed by frame pointers alone: how many are complete is not known");
}

}  // namespace
}  // namespace srvprof
