#include "collect/watchdog.h"

#include <gtest/gtest.h>

#include <chrono>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

// A second of a busy server: 10,000 requests, one CPU, srvprof at 10 %, no reset.
struct Minute {
  Watchdog::Sums before{.t = Time{} + 100s}, now{.t = Time{} + 101s, .segments = 20'000};
  Watchdog dog{{}, before, now};
  Duration own = 50ms, bpf = 50ms, target = 1s;
  std::uint64_t requests = 10'000, lost = 0, segments = 20'000, resets = 0;

  std::optional<std::string> second() {
    now.t += 1s;
    now.own += own;
    now.bpf += bpf;
    now.target += target;
    now.requests += requests;
    now.lost += lost;
    now.segments += segments;
    now.resets += resets;
    return dog.check(now);
  }
  // Seconds until it barks; 0 = it did not in a minute.
  int barks() {
    for (int i = 1; i <= 60; ++i)
      if (second()) return i;
    return 0;
  }
};

TEST(Watchdog, LetsAnOrdinaryRunGoOn) { EXPECT_EQ(Minute{}.barks(), 0); }

TEST(Watchdog, EndsWhatCostsTooMuch) {
  Minute run;
  run.bpf = 600ms;
  EXPECT_EQ(run.barks(), 5);
}

TEST(Watchdog, NamesCostAndLimit) {
  Minute run;
  run.own = 550ms;
  std::optional<std::string> why;
  for (int i = 0; i < 5; ++i) why = run.second();
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(*why, "srvprof took 0.60 CPUs, 60 % of the 1.00 that the target took (limit 50 %)");
}

TEST(Watchdog, AllowsOneDearSecond) {
  Minute run;
  run.own = 900ms;
  EXPECT_FALSE(run.second().has_value());
  run.own = 50ms;
  EXPECT_EQ(run.barks(), 0);
}

TEST(Watchdog, LetsAnIdleTargetBe) {
  Minute run;
  run.target = 0ms;
  run.own = 100ms;
  EXPECT_EQ(run.barks(), 0);
}

TEST(Watchdog, KeepsToTheLimitThatIsGiven) {
  Minute run;
  run.dog = Watchdog({.share = 0.05, .cpus = Watchdog::kCpusIfShareIsGiven}, run.before, run.now);
  EXPECT_EQ(run.barks(), 5);
}

TEST(Watchdog, HasNoLimitOfCostIfNoneIsWanted) {
  Minute run;
  run.dog = Watchdog({.share = 0}, run.before, run.now);
  run.bpf = 900ms;
  EXPECT_EQ(run.barks(), 0);
}

TEST(Watchdog, EndsLastingLosses) {
  Minute run;
  run.lost = 5'000;
  EXPECT_EQ(run.barks(), 10);
}

TEST(Watchdog, ForgivesLossesThatEnd) {
  Minute run;
  run.lost = 5'000;
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(run.second().has_value());
  run.lost = 0;
  EXPECT_FALSE(run.second().has_value());
  run.lost = 5'000;
  EXPECT_EQ(run.barks(), 10);
}

TEST(Watchdog, EndsWhatBringsResets) {
  Minute run;
  run.resets = 1'000;
  EXPECT_EQ(run.barks(), 3);
}

TEST(Watchdog, DoesNotTakeOldResetsForItsOwn) {
  Minute run;
  run.now.resets = 1'000;  // in the second before
  run.dog = Watchdog({}, run.before, run.now);
  run.resets = 1'000;
  EXPECT_EQ(run.barks(), 0);
}

TEST(Watchdog, DoesNotTakeALoadThatBeginsForItsOwn) {
  Minute run;
  run.now.segments = 0;
  run.dog = Watchdog({}, run.before, run.now);
  run.resets = 1'000;
  EXPECT_EQ(run.barks(), 0);
}

}  // namespace
}  // namespace srvprof
