// When to explain, against what, and when to say nothing.
#include "analyze/explain.h"

#include <gtest/gtest.h>

#include <random>

#include "scenario.h"

namespace srvprof {
namespace {

// Open loop at low utilisation: short requests, and now and then a short wait of the machine's own.
Scenario quiet(unsigned seed) {
  Scenario s(20s);
  s.process(77, "cron");
  std::mt19937 random(seed);
  std::lognormal_distribution<double> work(12.4, 0.4);  // about 0.25 ms
  std::uniform_real_distribution<double> chance(0, 1);
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 20'000; ++i) {
    std::vector<Part> parts{{State::kCpu, Duration(static_cast<std::int64_t>(work(random)))}};
    const double c = chance(random);
    if (c < 0.01) parts.push_back({State::kRunqWake, 600us, task(77)});
    if (c < 0.0005) parts.push_back({State::kRunqPreempt, 8ms, task(77)});
    s.request(route, 1ms * i, parts);
  }
  return s;
}

TEST(Explain, QuietRunsHaveNoFinding) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const Report r = quiet(seed).report();
    for (const Group& g : r.groups) EXPECT_TRUE(g.findings.empty()) << seed;
    ASSERT_FALSE(r.verdict.empty());
    EXPECT_EQ(r.verdict[0].rfind("nothing to explain", 0), 0u) << r.verdict[0];
  }
}

TEST(Explain, AGapOfFiveMillisecondsInFewRequestsIsExplained) {
  Scenario s;
  s.process(77, "hog");
  s.mixed(s.route("GET /"), 370, 37, {{State::kRunqWake, 6ms, task(77)}});
  const Report r = s.report();
  EXPECT_TRUE(find(r.groups[0], "runq-neighbour"));
}

TEST(Explain, OneStallIsOneCauseWithManyRequests) {
  Scenario s;
  const RouteId route = s.route("GET /");
  OffInterval off;
  off.t_out = s.at(5s);
  off.t_wake = off.t_in = s.at(5050ms);
  s.trace.threads[0].off.push_back(off);
  for (int i = 0; i < 5000; ++i) {
    const Duration t = 2ms * i;
    std::vector<Part> parts{{State::kCpu, 500us}};
    if (t >= 5s && t < 5050ms) {
      Part stop{State::kStopped, 5050ms - t, {}, LifePhase::kReady};
      stop.off = 1;
      parts.insert(parts.begin(), stop);
    }
    s.request(route, t, parts);
  }
  const Report r = s.report();
  const Finding* f = find(r.groups[0], "stopped");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->stalls, 1u);
  EXPECT_GE(f->requests, 25u);
}

TEST(Explain, OneGiantIsAnOutlier) {
  Scenario s;
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 2000; ++i) {
    s.request(route, 5ms * i, {{State::kCpu, 1ms}, {State::kStopped, i == 777 ? 400ms : 1us}});
  }
  const Report r = s.report();
  EXPECT_TRUE(r.groups[0].findings.empty());
  EXPECT_NE(r.groups[0].not_explained_why.find("outlier"), std::string::npos);
}

TEST(Explain, TooFewRequests) {
  Scenario s;
  s.mixed(s.route("GET /"), 60, 10, {{State::kStopped, 50ms}});
  const Report r = s.report();
  EXPECT_FALSE(r.groups[0].explained);
  EXPECT_NE(r.groups[0].not_explained_why.find("too few requests (60"), std::string::npos);
  EXPECT_TRUE(r.groups[0].findings.empty());
}

TEST(Explain, EveryRequestWaits) {
  // The loop hashes all the time: the ordinary request waits for what the slow ones wait for.
  Scenario s;
  const RouteId health = s.route("GET /health"), login = s.route("POST /login");
  const RequestId hash = s.request(login, 0s, {{State::kCpu, 30ms}});
  std::mt19937 random(5);
  std::uniform_int_distribution<std::int64_t> wait(20'000, 280'000);
  for (int i = 0; i < 2000; ++i) {
    s.request(health, 5ms * i,
              {{State::kBehind, Duration(wait(random) * 1000), owner(hash), LifePhase::kReady},
               {State::kCpu, 100us}});
  }
  const Report r = s.report();
  const Group& g = r.groups[0];
  EXPECT_EQ(g.route, "GET /health");
  const Finding *tail = find(g, "behind-other-route"), *body = find(g, "behind-other-route", true);
  ASSERT_TRUE(tail && body);
  EXPECT_GT(tail->share, 0.95);
  EXPECT_TRUE(mentions(tail->evidence, "fastest requests (p1..p10"));
  EXPECT_GT(body->share, 0.95);
  EXPECT_GT(tail->gap, g.gap);  // beyond the fastest, not beyond the body
}

TEST(Explain, ASlowBodyWithoutATailIsStillExplained) {
  Scenario s;
  s.process(77, "hog");
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 1000; ++i) {
    s.request(route, 10ms * i, {{State::kRunqWake, 20ms, task(77)}, {State::kCpu, 1ms}});
  }
  const Report r = s.report();
  EXPECT_FALSE(r.groups[0].explained);
  EXPECT_TRUE(find(r.groups[0], "runq-neighbour", true));
  EXPECT_NE(r.verdict[0].find("slow as a rule"), std::string::npos) << r.verdict[0];
}

TEST(Explain, LedgersAreMeansThatAddUp) {
  Scenario s;
  s.mixed(s.route("GET /"), 2000, 20, {{State::kStopped, 40ms}});
  const Group g = s.report().groups[0];
  EXPECT_EQ(g.body.total(), Duration(1ms));
  EXPECT_EQ(g.tail.total(), Duration(41ms));
  EXPECT_EQ(g.tail.of(State::kStopped), Duration(40ms));
  EXPECT_EQ(g.gap, g.tail.total() - g.body.total());
}

TEST(Explain, StreamsAreOutCensoredAreIn) {
  Scenario s;
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 1000; ++i) {
    const bool odd = i >= 990;
    s.request(route, 9ms * i, {{State::kCpu, 1ms}, {State::kStopped, odd ? 80ms : 1us}});
    s.last().censored = odd;
  }
  s.request(route, 9500ms, {{State::kCpu, 400ms}});
  s.last().stream = true;
  s.request(route, 9600ms, {{State::kStopped, 90ms}});
  s.last().aborted = true;
  const Group g = s.report().groups[0];
  EXPECT_EQ(g.streams, 1u);
  EXPECT_EQ(g.censored, 10u);
  EXPECT_EQ(g.aborted, 1u);
  EXPECT_EQ(g.errors, 1u);
  EXPECT_EQ(g.requests, 1001u);
  EXPECT_EQ(g.max, Duration(90ms));
  EXPECT_EQ(g.tail.of(State::kStopped) > 70ms, true);
}

TEST(Explain, FirstRequestsAreAGroupOfTheirOwn) {
  Scenario s;
  const RouteId route = s.route("GET /");
  for (int i = 0; i < 200; ++i) {
    s.request(route, 40ms * i, {{State::kCpu, 1ms}});
    s.last().first = i % 2 == 0;
  }
  const Report r = s.report();
  ASSERT_EQ(r.groups.size(), 2u);
  EXPECT_NE(r.groups[0].first_requests, r.groups[1].first_requests);
  EXPECT_EQ(r.groups[0].requests, 100u);
}

TEST(Explain, WithoutTheCauseTheP99IsSmaller) {
  Scenario s;
  s.process(77, "hog");
  s.mixed(s.route("GET /"), 4000, 20,
          {{State::kRunqWake, 40ms, task(77)}, {State::kThrottled, 8ms}});
  const Report r = s.report();
  const Finding* f = find(r.groups[0], "runq-neighbour");
  ASSERT_TRUE(f && f->p99_without);
  EXPECT_LE(f->p99_without->first, Duration(9ms));
  EXPECT_GE(f->p99_without->second, Duration(9ms));
  EXPECT_LT(f->p99_without->second, Duration(20ms));
}

TEST(Explain, NoClaimWhereMoreWasLost) {
  Scenario s;
  s.process(77, "hog");
  s.mixed(s.route("GET /"), 2000, 20,
          {{State::kRunqWake, 40ms, task(77)}, {State::kThrottled, 8ms}});
  s.trace.losses.push_back({s.at(0s), s.at(10s), "ring full: requests", 1000});  // a third of them
  const Report r = s.report();
  EXPECT_TRUE(find(r.groups[0], "runq-neighbour"));
  EXPECT_FALSE(find(r.groups[0], "cpu-quota"));
  EXPECT_EQ(r.header.lost, 1000u);
}

TEST(Explain, FiltersByRouteAndPhase) {
  Scenario s;
  s.ordinary(s.route("GET /a"), 500, 0s, 5s);
  s.ordinary(s.route("GET /b"), 500, 5s, 10s);
  s.trace.phase_marks.push_back({s.at(0s), "one", "mark"});
  s.trace.phase_marks.push_back({s.at(5s), "two", "mark"});
  ReportOptions options;
  options.route = "GET /b";
  ASSERT_EQ(s.report(options).groups.size(), 1u);
  EXPECT_EQ(s.report(options).groups[0].phase, "two");
  options.route.clear();
  options.phase = "one";
  ASSERT_EQ(s.report(options).groups.size(), 1u);
  EXPECT_EQ(s.report(options).groups[0].route, "GET /a");
}

}  // namespace
}  // namespace srvprof
