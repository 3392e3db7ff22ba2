#include "collect/governor.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kSettle = 100ms;
constexpr Duration kCalm = 5s;
constexpr double kHigh = 0.5;
constexpr double kLow = 0.05;

}  // namespace

std::optional<std::uint32_t> Governor::update(Time now, double fill, std::uint64_t lost) {
  const bool losing = lost > lost_;
  lost_ = lost;
  if (fill > kLow || losing) calm_since_ = now;
  if ((fill > kHigh || losing) && one_in_ < kMaxOneIn && now - changed_ >= kSettle) {
    one_in_ *= 2;
    changed_ = now;
    return one_in_;
  }
  if (one_in_ > 1 && now - calm_since_ >= kCalm && now - changed_ >= kCalm) {
    one_in_ /= 2;
    changed_ = now;
    return one_in_;
  }
  return std::nullopt;
}

}  // namespace srvprof
