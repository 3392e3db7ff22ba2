#include "collect/live_stats.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace srvprof {
namespace {

TEST(LatencyHistogram, EmptyGivesZero) {
  LatencyHistogram h;
  EXPECT_EQ(h.quantile(0.5), Duration{});
}

TEST(LatencyHistogram, QuantilesAreWithinOneStepOfTheSortedSample) {
  std::mt19937_64 random(7);
  std::lognormal_distribution<double> latency(13, 1.5);
  LatencyHistogram h;
  std::vector<std::int64_t> all;
  for (int i = 0; i < 20000; ++i) {
    all.push_back(static_cast<std::int64_t>(latency(random)));
    h.add(Duration(all.back()));
  }
  std::sort(all.begin(), all.end());
  for (double q : {0.01, 0.5, 0.9, 0.99, 0.999}) {
    const auto exact = static_cast<double>(all[static_cast<std::size_t>(q * 20000)]);
    const auto found = static_cast<double>(h.quantile(q).count());
    EXPECT_GE(found, exact) << q;
    EXPECT_LE(found, exact * 1.0626 + 1) << q;
  }
}

TEST(LatencyHistogram, TakesExtremes) {
  LatencyHistogram h;
  h.add(Duration(-5));
  h.add(Duration(0));
  h.add(Duration::max());
  EXPECT_EQ(h.count(), 3u);
  EXPECT_EQ(h.quantile(0.0), Duration{});
  h.clear();
  EXPECT_EQ(h.count(), 0u);
}

}  // namespace
}  // namespace srvprof
