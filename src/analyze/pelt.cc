#include "analyze/pelt.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace srvprof {
namespace {

// Sums over prefixes, so that the cost of any segment is a constant number of operations.
class SegmentCost {
 public:
  explicit SegmentCost(std::span<const double> values)
      : sum_(values.size() + 1, 0.0), square_(values.size() + 1, 0.0) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      sum_[i + 1] = sum_[i] + values[i];
      square_[i + 1] = square_[i] + values[i] * values[i];
    }
  }
  // Squared distance of values [from, to) from their mean.
  double operator()(std::size_t from, std::size_t to) const {
    const double n = static_cast<double>(to - from);
    const double sum = sum_[to] - sum_[from];
    return std::max(0.0, square_[to] - square_[from] - sum * sum / n);
  }

 private:
  std::vector<double> sum_, square_;
};

double median(std::vector<double>& v) {
  const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
  std::nth_element(v.begin(), middle, v.end());
  return *middle;
}

}  // namespace

std::vector<std::size_t> pelt(std::span<const double> values, double penalty,
                              std::size_t min_segment) {
  const std::size_t n = values.size();
  min_segment = std::max<std::size_t>(min_segment, 1);
  if (n < 2 * min_segment) return {};
  const SegmentCost cost(values);
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<double> best(n + 1, kInfinite);  // best[t]: cost of values [0, t), cut at best
  std::vector<std::size_t> last(n + 1, 0);     // last[t]: where the last segment of that begins
  best[0] = -penalty;
  // A start that costs more than the best one without a new penalty loses to a cut at t, once t
  // itself may be cut at: min_segment values later.
  struct Candidate {
    std::size_t start, dead_from;
  };
  std::vector<Candidate> candidates{{0, n + 1}};
  for (std::size_t t = min_segment; t <= n; ++t) {
    std::erase_if(candidates, [&](const Candidate& c) { return t >= c.dead_from; });
    for (const Candidate& c : candidates) {
      if (t - c.start < min_segment) continue;
      const double total = best[c.start] + cost(c.start, t) + penalty;
      if (total < best[t]) {
        best[t] = total;
        last[t] = c.start;
      }
    }
    for (Candidate& c : candidates) {
      if (t - c.start < min_segment || c.dead_from <= n) continue;
      if (best[c.start] + cost(c.start, t) > best[t]) c.dead_from = t + min_segment;
    }
    if (t + min_segment <= n) candidates.push_back({t, n + 1});
  }
  std::vector<std::size_t> cuts;
  for (std::size_t t = last[n]; t > 0; t = last[t]) cuts.push_back(t);
  std::reverse(cuts.begin(), cuts.end());
  return cuts;
}

double noise_of(std::span<const double> values) {
  if (values.size() < 3) return 0;
  std::vector<double> differences;
  differences.reserve(values.size() - 1);
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences.push_back(std::abs(values[i] - values[i - 1]));
  }
  // 1.4826: median absolute deviation -> sigma of a normal; sqrt 2: a difference has both noises.
  return 1.4826 * median(differences) / std::sqrt(2.0);
}

std::vector<std::size_t> change_points(std::span<const double> values, std::size_t min_segment,
                                       double floor) {
  if (values.empty()) return {};
  const double sigma = std::max(noise_of(values), floor);
  const double penalty = 2 * sigma * sigma * std::log(static_cast<double>(values.size()));
  return pelt(values, penalty, min_segment);
}

}  // namespace srvprof
