#include "analyze/permutation.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace srvprof {
namespace {

constexpr std::size_t kReplicates = 1999;
constexpr std::size_t kShift = 11;  // slots: 2 ^ (11 / 80) = 1.1

// splitmix64: the same answer on every machine and with every library.
class Random {
 public:
  std::size_t below(std::size_t n) {
    state_ += 0x9e3779b97f4a7c15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<std::size_t>((z ^ (z >> 31)) % n);
  }

 private:
  std::uint64_t state_ = 20250131;
};

// A shift of the slots moves latencies by a factor; only blocks of the second run have one.
struct Moved {
  const LatencyBlock* block = nullptr;
  std::ptrdiff_t shift = 0;
  double scale = 1;  // of counts, for rates
};

std::size_t moved_slot(std::size_t slot, std::ptrdiff_t shift) {
  const std::ptrdiff_t to = static_cast<std::ptrdiff_t>(slot) + shift;
  return static_cast<std::size_t>(
      std::clamp<std::ptrdiff_t>(to, 0, static_cast<std::ptrdiff_t>(LatencyBlock::kSlots) - 1));
}

// Slot of the percentile, as a logarithm of latency.
double log_percentile(const std::vector<Moved>& all, const std::vector<std::size_t>& order,
                      std::size_t from, std::size_t to, double p) {
  std::vector<std::uint64_t> sum(LatencyBlock::kSlots);
  std::uint64_t total = 0;
  for (std::size_t i = from; i < to; ++i) {
    const Moved& m = all[order[i]];
    const auto& slots = m.block->slots();
    if (m.shift == 0) {
      for (std::size_t k = 0; k < slots.size(); ++k) sum[k] += slots[k];
    } else {
      for (std::size_t k = 0; k < slots.size(); ++k) {
        if (slots[k] != 0) sum[moved_slot(k, m.shift)] += slots[k];
      }
    }
    total += m.block->count();
  }
  const double rank = std::ceil(p / 100 * static_cast<double>(total) - 1e-9);
  double seen = 0;
  for (std::size_t k = 0; k < sum.size(); ++k) {
    const double next = seen + static_cast<double>(sum[k]);
    // Within a slot evenly: else equal slots would tie.
    if (next >= rank && sum[k] != 0) {
      return static_cast<double>(k) + (rank - seen) / static_cast<double>(sum[k]);
    }
    seen = next;
  }
  return 0;
}

double log_rate(const std::vector<Moved>& all, const std::vector<std::size_t>& order,
                std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t i = from; i < to; ++i) {
    sum += static_cast<double>(all[order[i]].block->count()) * all[order[i]].scale;
  }
  return std::log2(std::max(sum / static_cast<double>(to - from), 1e-9)) * LatencyBlock::kSteps;
}

template <class Statistic>
TestResult test(std::vector<Moved> all, std::size_t n_a, const Statistic& statistic) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto difference = [&](const std::vector<Moved>& blocks) {
    return statistic(blocks, order, n_a, order.size()) - statistic(blocks, order, 0, n_a);
  };
  TestResult out;
  const double observed = difference(all);
  out.ratio = std::exp2(observed / LatencyBlock::kSteps);
  if (std::abs(observed) <= static_cast<double>(kShift)) return out;
  const double sign = observed > 0 ? 1 : -1;
  for (std::size_t i = n_a; i < all.size(); ++i) {
    all[i].shift =
        observed > 0 ? -static_cast<std::ptrdiff_t>(kShift) : static_cast<std::ptrdiff_t>(kShift);
    all[i].scale = std::exp2(static_cast<double>(all[i].shift) / LatencyBlock::kSteps);
  }
  const double moved = sign * difference(all);
  Random random;
  std::size_t as_large = 0;
  for (std::size_t r = 0; r < kReplicates; ++r) {
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random.below(i + 1)]);
    as_large += sign * difference(all) >= moved - 1e-9;
  }
  out.p_value = static_cast<double>(1 + as_large) / static_cast<double>(1 + kReplicates);
  out.different = *out.p_value <= kSignificant;
  return out;
}

std::vector<Moved> joined(const std::vector<LatencyBlock>& a, const std::vector<LatencyBlock>& b) {
  std::vector<Moved> all;
  for (const LatencyBlock& block : a) all.push_back({&block});
  for (const LatencyBlock& block : b) all.push_back({&block});
  return all;
}

}  // namespace

void LatencyBlock::add(Duration latency) {
  const double ns = static_cast<double>(std::max<std::int64_t>(latency.count(), 1));
  const auto slot = static_cast<std::size_t>(std::log2(ns) * static_cast<double>(kSteps));
  ++slots_[std::min(slot, kSlots - 1)];
  ++count_;
}

TestResult test_percentile(const std::vector<LatencyBlock>& a, const std::vector<LatencyBlock>& b,
                           double p) {
  return test(
      joined(a, b), a.size(),
      [p](const std::vector<Moved>& all, const std::vector<std::size_t>& order, std::size_t from,
          std::size_t to) { return log_percentile(all, order, from, to, p); });
}

TestResult test_rate(const std::vector<LatencyBlock>& a, const std::vector<LatencyBlock>& b) {
  return test(joined(a, b), a.size(),
              [](const std::vector<Moved>& all, const std::vector<std::size_t>& order,
                 std::size_t from, std::size_t to) { return log_rate(all, order, from, to); });
}

}  // namespace srvprof
