#include "collect/live_stats.h"

#include <bit>

namespace srvprof {
namespace {

std::size_t slot_of(std::uint64_t v) {
  if (v < 16) return v;
  const unsigned power = 63u - static_cast<unsigned>(std::countl_zero(v));
  return power * 16 + ((v >> (power - 4)) & 15);
}

std::uint64_t upper_of(std::size_t slot) {
  const std::size_t power = slot / 16, step = slot % 16;
  if (power < 4) return slot;
  return (std::uint64_t{16 + step + 1} << (power - 4)) - 1;
}

}  // namespace

void LatencyHistogram::add(Duration latency) {
  const std::int64_t ns = latency.count();
  ++slots_[slot_of(ns < 0 ? 0u : static_cast<std::uint64_t>(ns))];
  ++count_;
}

Duration LatencyHistogram::quantile(double share) const {
  const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(count_));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kSlots && count_ != 0; ++i) {
    seen += slots_[i];
    if (seen > wanted) return Duration(static_cast<std::int64_t>(upper_of(i)));
  }
  return {};
}

void LatencyHistogram::clear() {
  slots_.fill(0);
  count_ = 0;
}

}  // namespace srvprof
