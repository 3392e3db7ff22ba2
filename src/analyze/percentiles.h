// Percentiles as order statistics, with honest intervals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyze/report.h"

namespace srvprof {

// 0-based index of the p-th percentile (0 < p <= 100) of n > 0 sorted values: the smallest value
// that at least p % of the values do not exceed.
std::size_t rank_of(double p, std::size_t n);

// Whether n values are enough for a two-sided 95 % interval of that percentile: p99 >= 370,
// p99.9 >= 3,700.
bool enough_for(double p, std::size_t n);

struct Interval {
  Duration low{}, high{};
};

// 95 % interval of a percentile from the binomial distribution of ranks. Distribution free, but it
// takes the values as independent, which requests behind one stall are not.
Interval binomial_interval(std::span<const Duration> sorted, double p);

// What a block bootstrap says about dependence: the requests are drawn again by blocks of time.
struct Bootstrap {
  std::vector<Interval> percentiles;  // of the percentiles asked for
  Interval gap;                       // mean(tail) - mean(body)
  std::size_t blocks = 0;             // blocks with requests; below 2 nothing could be drawn
};

struct BootstrapInput {
  std::span<const Duration> sorted;      // latencies, ascending
  std::span<const std::uint32_t> block;  // block of time of each of them
  std::span<const double> percentiles;
  double tail_percentile = 99;
};

// Deterministic (fixed seed); at most some 40 million additions.
Bootstrap block_bootstrap(const BootstrapInput& input);

// 50, 90, 95, 99, 99.9: intervals by ranks, widened by the bootstrap.
inline constexpr double kPercentiles[] = {50, 90, 95, 99, 99.9};
std::vector<Percentile> percentiles_of(std::span<const Duration> sorted,
                                       const Bootstrap& bootstrap);

}  // namespace srvprof
