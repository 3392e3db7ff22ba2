#include "analyze/pelt.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace srvprof {
namespace {

std::vector<double> steps(const std::vector<std::pair<std::size_t, double>>& levels, double noise) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, noise);
  std::vector<double> out;
  for (const auto& [n, level] : levels) {
    for (std::size_t i = 0; i < n; ++i) out.push_back(level + normal(random));
  }
  return out;
}

double cost(const std::vector<double>& v, std::size_t from, std::size_t to) {
  double mean = 0, sum = 0;
  for (std::size_t i = from; i < to; ++i) mean += v[i] / static_cast<double>(to - from);
  for (std::size_t i = from; i < to; ++i) sum += (v[i] - mean) * (v[i] - mean);
  return sum;
}

// Optimal partitioning without pruning.
double best_total(const std::vector<double>& v, double penalty, std::size_t min_segment) {
  std::vector<double> best(v.size() + 1, std::numeric_limits<double>::infinity());
  best[0] = -penalty;
  for (std::size_t t = min_segment; t <= v.size(); ++t) {
    for (std::size_t s = 0; s + min_segment <= t; ++s) {
      best[t] = std::min(best[t], best[s] + cost(v, s, t) + penalty);
    }
  }
  return best[v.size()];
}

double total_of(const std::vector<double>& v, std::vector<std::size_t> cuts, double penalty) {
  double sum = -penalty;
  cuts.insert(cuts.begin(), 0);
  cuts.push_back(v.size());
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) sum += cost(v, cuts[i], cuts[i + 1]) + penalty;
  return sum;
}

TEST(Pelt, FindsSteps) {
  const auto v = steps({{20, 1}, {30, 5}, {25, 3}}, 0.1);
  EXPECT_EQ(change_points(v, 4, 0.01), (std::vector<std::size_t>{20, 50}));
}

TEST(Pelt, LevelNoiseHasNoChange) {
  std::size_t cuts = 0;
  for (unsigned seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 1);
    std::vector<double> v;
    for (int i = 0; i < 120; ++i) v.push_back(normal(random));
    cuts += change_points(v, 4, 0.01).size();
  }
  EXPECT_LE(cuts, 25u);  // one signal alone may err; load phases want two that agree
}

TEST(Pelt, PruningKeepsTheOptimum) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 1);
    std::vector<double> v;
    for (int i = 0; i < 60; ++i) v.push_back(normal(random) + (i % 17 < 6 ? 2.0 : 0.0));
    for (const std::size_t min_segment : {1u, 3u, 5u}) {
      const auto cuts = pelt(v, 3.0, min_segment);
      EXPECT_NEAR(total_of(v, cuts, 3.0), best_total(v, 3.0, min_segment), 1e-9);
    }
  }
}

TEST(Pelt, ShortSeries) {
  EXPECT_TRUE(pelt({}, 1, 4).empty());
  EXPECT_TRUE(pelt(std::vector<double>{1, 9, 1}, 0.1, 4).empty());
  EXPECT_TRUE(change_points(std::vector<double>(100, 3.0), 4, 0.02).empty());
}

TEST(Pelt, NoiseIgnoresTheJumps) {
  const auto flat = steps({{200, 1}}, 0.5);
  const auto jumps = steps({{100, 1}, {50, 20}, {50, -7}}, 0.5);
  EXPECT_NEAR(noise_of(flat), 0.5, 0.1);
  EXPECT_NEAR(noise_of(jumps), 0.5, 0.1);
}

}  // namespace
}  // namespace srvprof
