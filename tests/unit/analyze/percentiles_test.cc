#include "analyze/percentiles.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyze/tail_body.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

// The definition: the smallest value that at least p % of the values do not exceed.
Duration brute_force(const std::vector<Duration>& values, double p) {
  std::vector<Duration> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  for (const Duration v : sorted) {
    const auto n = std::count_if(values.begin(), values.end(), [&](Duration x) { return x <= v; });
    if (static_cast<double>(n) * 1000 >= p * 10 * static_cast<double>(values.size()) - 1e-6)
      return v;
  }
  return sorted.back();
}

std::vector<Duration> lognormal(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::lognormal_distribution<double> d(13, 1);
  std::vector<Duration> out;
  for (std::size_t i = 0; i < n; ++i) out.emplace_back(static_cast<std::int64_t>(d(random)));
  return out;
}

TEST(Percentiles, AgreeWithBruteForce) {
  for (const std::size_t n : {1u, 2u, 5u, 10u, 99u, 100u, 101u, 999u, 1000u, 1001u}) {
    std::vector<Duration> v = lognormal(n, static_cast<unsigned>(n));
    std::vector<Duration> sorted = v;
    std::sort(sorted.begin(), sorted.end());
    for (const double p : kPercentiles) {
      EXPECT_EQ(sorted[rank_of(p, n)], brute_force(v, p)) << n << " p" << p;
    }
  }
}

TEST(Percentiles, EnoughSamples) {
  EXPECT_FALSE(enough_for(99, 369));
  EXPECT_TRUE(enough_for(99, 370));
  EXPECT_FALSE(enough_for(99.9, 3'699));
  EXPECT_TRUE(enough_for(99.9, 3'700));
  EXPECT_TRUE(enough_for(50, 8));
}

TEST(Percentiles, BinomialIntervalCovers) {
  // The true median of uniform values lies in the interval in about 95 of 100 runs.
  int covered = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::int64_t> d(0, 1'000'000);
    std::vector<Duration> v;
    for (int i = 0; i < 400; ++i) v.emplace_back(d(random));
    std::sort(v.begin(), v.end());
    const Interval in = binomial_interval(v, 90);
    covered += in.low <= 900us && 900us <= in.high;
  }
  EXPECT_GE(covered, 279);  // 93 %
  EXPECT_LE(covered, 297);
}

BootstrapInput input(const std::vector<Duration>& sorted, const std::vector<std::uint32_t>& block) {
  return {sorted, block, kPercentiles, 99};
}

TEST(Percentiles, DependenceWidensTheInterval) {
  // 20 blocks of 200; the slow 2 % are spread out in one run and sit in one block in the other.
  std::vector<Duration> sorted;
  for (int i = 0; i < 4000; ++i)
    sorted.push_back(i < 3920 ? 1ms + Duration(i) : 50ms + Duration(i));
  std::vector<std::uint32_t> spread, clustered;
  for (std::uint32_t i = 0; i < 4000; ++i) {
    spread.push_back(i % 20);
    clustered.push_back(i < 3920 ? i % 20 : 7);
  }
  const Bootstrap a = block_bootstrap(input(sorted, spread));
  const Bootstrap b = block_bootstrap(input(sorted, clustered));
  EXPECT_GE(a.gap.low, 40ms);
  EXPECT_LT(b.gap.low, 5ms);  // drawn without that block there is no tail
  const auto wide = percentiles_of(sorted, b), narrow = percentiles_of(sorted, a);
  EXPECT_LT(wide[3].low, 2ms);
  EXPECT_GE(narrow[3].low, 50ms);
  EXPECT_EQ(wide[3].value, narrow[3].value);
}

TEST(Percentiles, BootstrapIsDeterministicAndOrdered) {
  std::vector<Duration> sorted = lognormal(30'000, 3);
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint32_t> block;
  for (std::uint32_t i = 0; i < 30'000; ++i) block.push_back(i * 7919 % 30);
  const Bootstrap a = block_bootstrap(input(sorted, block)),
                  b = block_bootstrap(input(sorted, block));
  for (std::size_t k = 0; k < std::size(kPercentiles); ++k) {
    EXPECT_EQ(a.percentiles[k].low, b.percentiles[k].low);
    EXPECT_LE(a.percentiles[k].low, a.percentiles[k].high);
  }
  for (const Percentile& p : percentiles_of(sorted, a)) {
    EXPECT_LE(p.low, p.value);
    EXPECT_GE(p.high, p.value);
    EXPECT_TRUE(p.enough);
  }
}

TEST(Percentiles, OneBlockOrNoValueIsNoError) {
  const std::vector<Duration> one{5ms};
  const std::vector<std::uint32_t> block{0};
  const auto p = percentiles_of(one, block_bootstrap(input(one, block)));
  ASSERT_EQ(p.size(), 5u);
  EXPECT_EQ(p[3].value, Duration(5ms));
  EXPECT_FALSE(p[3].enough);
  EXPECT_TRUE(percentiles_of({}, block_bootstrap(input({}, {}))).empty());
}

TEST(TailBody, Ranks) {
  const SplitRanks s = split_ranks(1000, 99);
  EXPECT_EQ(s.tail, 990u);  // the ten values above the p99
  EXPECT_EQ(s.body_from, 399u);
  EXPECT_EQ(s.body_to, 599u);
  EXPECT_EQ(split_ranks(100, 99).tail, 95u);  // at least five
  EXPECT_EQ(split_ranks(3, 99).tail, 0u);
  for (std::size_t n = 1; n < 50; ++n) {
    const SplitRanks r = split_ranks(n, 99);
    EXPECT_LT(r.tail, n);
    EXPECT_LT(r.body_from, r.body_to);
    EXPECT_LE(r.body_to, n);
    EXPECT_LT(r.fast_from, r.fast_to);
    EXPECT_LE(r.fast_to, n);
  }
}

TEST(TailBody, NoiseIsNotExplained) {
  GapFacts f;
  f.requests = 10'000;
  f.tail_requests = 100;
  f.slower = 100;
  f.gap = 3ms;
  f.body_mean = 1ms;
  f.bootstrap.blocks = 10;
  f.bootstrap.gap = {200us, 6ms};
  EXPECT_NE(nothing_to_explain(f).find("own noise"), std::string::npos);
  f.bootstrap.gap = {2ms, 4ms};
  EXPECT_EQ(nothing_to_explain(f), "");
  f.gap = 900us;
  EXPECT_NE(nothing_to_explain(f), "");
  f.gap = 50ms;  // one stall, so the bootstrap is unsure; but large
  f.bootstrap.gap = {100us, 60ms};
  EXPECT_EQ(nothing_to_explain(f), "");
  f.slower = 2;
  EXPECT_NE(nothing_to_explain(f).find("outliers"), std::string::npos);
  f.slower = 100;
  f.requests = 99;
  EXPECT_NE(nothing_to_explain(f).find("too few"), std::string::npos);
  f.requests = 10'000;
  f.body_mean = 800ms;
  EXPECT_NE(nothing_to_explain(f), "");
}

}  // namespace
}  // namespace srvprof
