// Keeps the ring from overflowing by recording fewer connections in full. Pure: decides, does nothing.
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"

namespace srvprof {

class Governor {
 public:
  static constexpr std::uint32_t kMaxOneIn = 1024;

  // `fill`: largest part of the ring found full since the last call, 0..1. `lost`: records lost so far.
  // Returns the new 1-in-N when it changes. Doubles N when the ring is more than half full or something
  // was lost, at most once in `settle` (a change needs time to show), and halves it after 5 s under 5 %.
  std::optional<std::uint32_t> update(Time now, double fill, std::uint64_t lost);

  std::uint32_t one_in() const { return one_in_; }

 private:
  std::uint32_t one_in_ = 1;
  std::uint64_t lost_ = 0;
  Time changed_, calm_since_;
};

}  // namespace srvprof
