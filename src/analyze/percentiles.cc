#include "analyze/percentiles.h"

#include <algorithm>
#include <cmath>

#include "analyze/tail_body.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostReplicates = 200, kLeastReplicates = 40;
constexpr std::size_t kWork = 40'000'000;  // blocks x bins x replicates
constexpr std::size_t kExactUpTo = 2048;   // values up to which each is a bin of its own

// Numerical Recipes' 64-bit generator: small, and the same everywhere.
class Random {
 public:
  std::size_t below(std::size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % n);
  }

 private:
  std::uint64_t state_ = 0x5eed;
};

// The sorted values cut into bins of neighbouring ranks, finer towards the tail.
struct Bins {
  std::vector<std::size_t> begin;                 // rank at which each bin begins, and n
  std::vector<double> mean;                       // of each bin's values, ns
  std::vector<std::vector<std::uint32_t>> count;  // [block][bin]
  std::size_t size() const { return mean.size(); }
};

std::vector<std::size_t> bin_begins(std::size_t n) {
  std::vector<std::size_t> begin;
  if (n <= kExactUpTo) {
    for (std::size_t i = 0; i <= n; ++i) begin.push_back(i);
    return begin;
  }
  const auto spread = [&](double from, double to, std::size_t bins) {
    for (std::size_t k = 0; k < bins; ++k) {
      const double q = from + (to - from) * static_cast<double>(k) / static_cast<double>(bins);
      const auto at = static_cast<std::size_t>(q * static_cast<double>(n));
      if (begin.empty() || at > begin.back()) begin.push_back(at);
    }
  };
  spread(0, 0.9, 512);
  spread(0.9, 0.99, 512);
  spread(0.99, 0.999, 512);
  spread(0.999, 1, 512);
  begin.push_back(n);
  return begin;
}

Bins bins_of(const BootstrapInput& in) {
  Bins b;
  b.begin = bin_begins(in.sorted.size());
  b.mean.resize(b.begin.size() - 1);
  const std::size_t blocks = *std::max_element(in.block.begin(), in.block.end()) + std::size_t{1};
  b.count.assign(blocks, {});
  for (std::size_t k = 0; k < b.size(); ++k) {
    double sum = 0;
    for (std::size_t i = b.begin[k]; i < b.begin[k + 1]; ++i) {
      sum += static_cast<double>(in.sorted[i].count());
      auto& row = b.count[in.block[i]];
      if (row.empty()) row.resize(b.size());
      ++row[k];
    }
    b.mean[k] = sum / static_cast<double>(b.begin[k + 1] - b.begin[k]);
  }
  std::erase_if(b.count, [](const auto& row) { return row.empty(); });
  return b;
}

// One resampled distribution: how often each bin was drawn.
class Replicate {
 public:
  Replicate(const Bins& bins, const std::vector<std::size_t>& drawn) : bins_(bins) {
    count_.assign(bins.size(), 0);
    for (const std::size_t block : drawn) {
      for (std::size_t k = 0; k < bins.size(); ++k) count_[k] += bins.count[block][k];
    }
    for (const auto c : count_) total_ += c;
  }
  double quantile(double p) const {
    const std::size_t rank = rank_of(p, total_);
    std::size_t seen = 0;
    for (std::size_t k = 0; k < count_.size(); ++k) {
      seen += count_[k];
      if (seen > rank) return bins_.mean[k];
    }
    return bins_.mean.back();
  }
  // Mean of the values with ranks [from, to).
  double mean(std::size_t from, std::size_t to) const {
    double sum = 0;
    std::size_t seen = 0, taken = 0;
    for (std::size_t k = 0; k < count_.size() && seen < to; ++k) {
      const std::size_t lo = std::max(from, seen), hi = std::min(to, seen + count_[k]);
      if (hi > lo) {
        sum += bins_.mean[k] * static_cast<double>(hi - lo);
        taken += hi - lo;
      }
      seen += count_[k];
    }
    return taken ? sum / static_cast<double>(taken) : 0;
  }
  double gap(double tail_percentile) const {
    const SplitRanks s = split_ranks(total_, tail_percentile);
    return mean(s.tail, total_) - mean(s.body_from, s.body_to);
  }

 private:
  const Bins& bins_;
  std::vector<std::size_t> count_;
  std::size_t total_ = 0;
};

Interval middle_95(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  const auto at = [&](double q) {
    const double i = q * static_cast<double>(values.size() - 1);
    return Duration(std::llround(values[static_cast<std::size_t>(std::lround(i))]));
  };
  return {at(0.025), at(0.975)};
}

}  // namespace

std::size_t rank_of(double p, std::size_t n) {
  // The epsilon keeps 99.9 % of 1000 at rank 999: 99.9 / 100 is not exact in binary.
  const double rank = std::ceil(p / 100 * static_cast<double>(n) - 1e-9);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::max(rank, 1.0)), 1, n) - 1;
}

bool enough_for(double p, std::size_t n) {
  const double rarer = std::min(p, 100 - p) / 100;
  // p^n + (1-p)^n <= 5 % wants about 3.69 / (1 - p) values.
  return static_cast<double>(n) * rarer >= 3.7 - 1e-6;
}

Interval binomial_interval(std::span<const Duration> sorted, double p) {
  const double n = static_cast<double>(sorted.size());
  const double q = p / 100;
  const double half = 1.96 * std::sqrt(n * q * (1 - q));
  const double low = std::floor(n * q - half), high = std::ceil(n * q + half);
  const auto index = [&](double rank) {
    return static_cast<std::size_t>(std::clamp(rank - 1, 0.0, n - 1));
  };
  return {sorted[index(low)], sorted[index(high)]};
}

Bootstrap block_bootstrap(const BootstrapInput& in) {
  Bootstrap result;
  result.percentiles.resize(in.percentiles.size());
  if (in.sorted.empty()) return result;
  const Bins bins = bins_of(in);
  result.blocks = bins.count.size();
  if (result.blocks < 2) return result;
  const std::size_t replicates =
      std::clamp(kWork / (result.blocks * bins.size()), kLeastReplicates, kMostReplicates);
  std::vector<std::vector<double>> values(in.percentiles.size());
  std::vector<double> gaps;
  Random random;
  std::vector<std::size_t> drawn(result.blocks);
  for (std::size_t r = 0; r < replicates; ++r) {
    for (auto& block : drawn) block = random.below(result.blocks);
    const Replicate replicate(bins, drawn);
    for (std::size_t k = 0; k < values.size(); ++k) {
      values[k].push_back(replicate.quantile(in.percentiles[k]));
    }
    gaps.push_back(replicate.gap(in.tail_percentile));
  }
  for (std::size_t k = 0; k < values.size(); ++k) result.percentiles[k] = middle_95(values[k]);
  result.gap = middle_95(gaps);
  return result;
}

std::vector<Percentile> percentiles_of(std::span<const Duration> sorted,
                                       const Bootstrap& bootstrap) {
  std::vector<Percentile> out;
  if (sorted.empty()) return out;
  for (std::size_t k = 0; k < std::size(kPercentiles); ++k) {
    const double p = kPercentiles[k];
    Percentile percentile{
        p, sorted[rank_of(p, sorted.size())], {}, {}, enough_for(p, sorted.size())};
    Interval interval = binomial_interval(sorted, p);
    if (bootstrap.blocks >= 2 && k < bootstrap.percentiles.size()) {
      interval.low = std::min(interval.low, bootstrap.percentiles[k].low);
      interval.high = std::max(interval.high, bootstrap.percentiles[k].high);
    }
    percentile.low = std::min(interval.low, percentile.value);
    percentile.high = std::max(interval.high, percentile.value);
    out.push_back(percentile);
  }
  return out;
}

}  // namespace srvprof
