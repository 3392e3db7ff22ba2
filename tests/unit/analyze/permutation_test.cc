#include "analyze/permutation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace srvprof {
namespace {

// A run: blocks of `n` requests around `ms`; each block has a level of its own, as real seconds do.
std::vector<LatencyBlock> run(unsigned seed, std::size_t blocks, std::size_t n, double ms,
                              double block_noise = 0.05) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, 0.4), level(0, block_noise);
  std::vector<LatencyBlock> out(blocks);
  for (LatencyBlock& block : out) {
    const double here = ms * std::exp(level(random));
    const auto count = static_cast<std::size_t>(static_cast<double>(n) * std::exp(level(random)));
    for (std::size_t i = 0; i < count; ++i) {
      block.add(Duration(std::llround(here * 1e6 * std::exp(noise(random)))));
    }
  }
  return out;
}

TEST(Permutation, EqualRunsAreNotDifferent) {
  int different = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const auto a = run(seed, 8, 500, 5), b = run(seed + 1000, 8, 500, 5);
    different += test_percentile(a, b, 50).different || test_percentile(a, b, 99).different ||
                 test_rate(a, b).different;
  }
  EXPECT_LE(different, 2);
}

TEST(Permutation, DifferencesBelowTenPercentAreNone) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const auto a = run(seed, 20, 2000, 5, 0.001), b = run(seed + 1000, 20, 2000, 5.4, 0.001);
    EXPECT_FALSE(test_percentile(a, b, 50).different);
  }
}

TEST(Permutation, LargeDifferencesAreFoundInBothDirections) {
  const auto a = run(1, 6, 500, 5), slow = run(2, 6, 500, 8), few = run(3, 6, 300, 5);
  EXPECT_TRUE(test_percentile(a, slow, 50).different);
  EXPECT_TRUE(test_percentile(slow, a, 99).different);
  EXPECT_NEAR(test_percentile(a, slow, 50).ratio, 1.6, 0.15);
  EXPECT_TRUE(test_rate(a, few).different);
  EXPECT_TRUE(test_rate(few, a).different);
  EXPECT_FALSE(test_rate(a, slow).different);
  EXPECT_NEAR(test_rate(a, few).ratio, 0.6, 0.06);
}

// One bad second of eight: p99 over all requests moves a lot, but it may be chance.
TEST(Permutation, OneBadBlockIsChance) {
  const auto a = run(1, 8, 500, 5);
  auto b = run(2, 7, 500, 5);
  for (LatencyBlock& bad : run(3, 1, 500, 500)) b.push_back(std::move(bad));
  const TestResult test = test_percentile(a, b, 99);
  EXPECT_GT(test.ratio, 10);
  EXPECT_FALSE(test.different) << *test.p_value;
}

}  // namespace
}  // namespace srvprof
