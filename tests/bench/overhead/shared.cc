#include "shared.h"

#include <algorithm>
#include <bit>

namespace srvprof {

std::size_t LatencySlots::index(std::uint64_t ns) {
  if (ns < kSteps) return static_cast<std::size_t>(ns);
  const std::size_t shift = std::bit_width(ns) - 6;  // leaves 6 bits: kSteps .. 2 * kSteps - 1
  const std::size_t i = shift * kSteps + static_cast<std::size_t>(ns >> shift);
  return std::min(i, kSteps * 40 - 1);
}

double LatencySlots::quantile(double share) const {
  std::uint64_t total = 0, seen = 0;
  for (const auto& n : count) total += n.load(std::memory_order_relaxed);
  if (total == 0) return 0;
  const double wanted = share * static_cast<double>(total);
  for (std::size_t i = 0; i < count.size(); ++i) {
    seen += count[i].load(std::memory_order_relaxed);
    if (static_cast<double>(seen) < wanted || seen == 0) continue;
    if (i < kSteps) return static_cast<double>(i);
    const std::size_t shift = i / kSteps - 1;
    const double step = static_cast<double>(std::uint64_t{1} << shift);
    return (static_cast<double>(i % kSteps + kSteps) + 0.5) * step;
  }
  return 0;
}

void LatencySlots::clear() {
  for (auto& n : count) n.store(0, std::memory_order_relaxed);
}

}  // namespace srvprof
