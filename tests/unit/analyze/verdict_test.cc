#include "analyze/verdict.h"

#include <gtest/gtest.h>

#include "analyze/words.h"
#include "scenario.h"

namespace srvprof {
namespace {

TEST(Words, Numbers) {
  EXPECT_EQ(ms_words(31'600us), "31.6 ms");
  EXPECT_EQ(ms_words(420us), "0.42 ms");
  EXPECT_EQ(ms_words(18us), "18 us");
  EXPECT_EQ(ms_words(12'345ms), "12.35 s");
  EXPECT_EQ(ms_words(0us), "0 ms");
  EXPECT_EQ(ms_words(Duration(12)), "0 ms");
  EXPECT_EQ(interval_words(41'300us, 39'800us, 43ms), "41.3 ms [39.8 .. 43.0]");
  EXPECT_EQ(interval_words(800us, 39us, 2s), "0.80 ms [39 us .. 2.00 s]");
  EXPECT_EQ(percent_words(0.784), "78 %");
  EXPECT_EQ(percent_words(0.0123), "1.2 %");
  EXPECT_EQ(count_words(0), "0");
  EXPECT_EQ(count_words(999), "999");
  EXPECT_EQ(count_words(1000), "1,000");
  EXPECT_EQ(count_words(41'022'999), "41,022,999");
  EXPECT_EQ(clock_words(66s), "01:06");
  EXPECT_EQ(clock_words(3723s), "1:02:03");
  EXPECT_EQ(plural_words(1, "stall"), "1 stall");
  EXPECT_EQ(plural_words(1312, "stall"), "1,312 stalls");
  EXPECT_EQ(bytes_words(1536), "1.5 KiB");
}

TEST(Verdict, NamesTheRouteThePhaseAndTheReason) {
  Scenario s;
  s.process(77, "hog");
  s.mixed(s.route("GET /health"), 2000, 20, {{State::kRunqWake, 40ms, task(77)}});
  const Report r = s.report();
  ASSERT_GE(r.verdict.size(), 2u);
  EXPECT_EQ(r.verdict[0],
            "GET /health is slow in its tail: p99 41.0 ms [41.0 .. 41.0], p50 1.0 ms   "
            "(phase steady 00:00-00:10, 2,000 requests, 20 slow)");
  EXPECT_EQ(r.verdict[1],
            "mostly: run queue, behind hog (pid 77) (100 % of what slow requests take longer)");
}

TEST(Verdict, TheLightRouteBeforeTheHeavyOneThatDelaysIt) {
  // Both wait 200 ms for the hashes of /login; for /health that is 2000 times its own work.
  Scenario s;
  const RouteId health = s.route("GET /health"), login = s.route("POST /login");
  const RequestId hash = s.request(login, 0s, {{State::kCpu, 30ms}});
  for (int i = 0; i < 400; ++i) {
    const Duration wait = 100ms + 500us * (i % 300);
    s.request(health, 20ms * i, {{State::kBehind, wait, owner(hash)}, {State::kCpu, 100us}});
    s.request(login, 20ms * i, {{State::kBehind, wait, owner(hash)}, {State::kCpu, 28ms}});
  }
  const Report r = s.report();
  EXPECT_EQ(r.groups[0].route, "GET /health");
  EXPECT_NE(r.verdict[1].find("POST /login"), std::string::npos);
}

TEST(Verdict, WarmUpAndIdleComeLast) {
  Scenario s(20s);
  s.process(77, "hog");
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 2000; ++i) {
    s.request(route, 10ms * i,
              {{State::kCpu, 1ms}, {State::kRunqWake, i % 20 == 7 ? 80ms : 1us, task(77)}});
  }
  s.trace.phase_marks.push_back({s.at(0s), "warm-up", "mark"});
  s.trace.phase_marks.push_back({s.at(10s), "steady", "mark"});
  EXPECT_EQ(s.report().groups[0].phase, "steady");
}

TEST(Verdict, NothingRecorded) {
  Scenario s;
  const Report r = s.report();
  ASSERT_EQ(r.verdict.size(), 1u);
  EXPECT_EQ(r.verdict[0], "nothing to explain: no HTTP/1 request was recorded");
  EXPECT_TRUE(r.groups.empty());
}

TEST(Verdict, Exemplars) {
  Scenario s;
  s.process(77, "hog");
  s.mixed(s.route("GET /a"), 2000, 20, {{State::kRunqWake, 40ms, task(77)}});
  ReportOptions options;
  options.exemplars = 7;
  const Report r = s.report(options);
  ASSERT_EQ(r.exemplars.size(), 9u);  // and one near the p99 and the median
  EXPECT_EQ(r.exemplars[0].latency, Duration(41ms));
  ASSERT_EQ(r.exemplars[0].tiles.size(), 2u);
  EXPECT_EQ(r.exemplars[0].tiles[1].who, "hog (pid 77)");
  EXPECT_EQ(r.exemplars[0].tiles[1].offset, Duration(1ms));
  EXPECT_EQ(r.exemplars[0].ledger.total(), Duration(41ms));
  EXPECT_EQ(r.exemplars[8].flags, "p50");
  EXPECT_EQ(r.exemplars[8].latency, Duration(1ms));
}

}  // namespace
}  // namespace srvprof
