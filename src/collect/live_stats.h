// Counts and latencies of the last second, for the progress line only.
#pragma once

#include <array>
#include <cstdint>

#include "base/time.h"

namespace srvprof {

// Log-linear histogram: 16 steps a power of two, error <= 6.25 %.
class LatencyHistogram {
 public:
  void add(Duration latency);
  // The value below which `share` of the samples lie; zero if there are none.
  Duration quantile(double share) const;
  std::uint64_t count() const { return count_; }
  void clear();

 private:
  static constexpr std::size_t kSlots = 64 * 16;
  std::array<std::uint32_t, kSlots> slots_{};
  std::uint64_t count_ = 0;
};

}  // namespace srvprof
