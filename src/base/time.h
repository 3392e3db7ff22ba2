// Points in time and durations, both in nanoseconds. The clock is the kernel's CLOCK_MONOTONIC, the
// one that bpf_ktime_get_ns() reads; a Time of zero means "not known".
#pragma once

#include <chrono>
#include <cstdint>

namespace srvprof {

using Duration = std::chrono::nanoseconds;

struct MonotonicClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<MonotonicClock, duration>;
  static constexpr bool is_steady = true;
  static time_point now();
};

using Time = MonotonicClock::time_point;

constexpr Time time_from_ns(std::uint64_t ns) { return Time(Duration(static_cast<std::int64_t>(ns))); }
constexpr std::uint64_t to_ns(Time t) {
  return static_cast<std::uint64_t>(t.time_since_epoch().count());
}
constexpr std::int64_t to_ns(Duration d) { return d.count(); }
constexpr double to_ms(Duration d) { return static_cast<double>(d.count()) / 1e6; }
constexpr double to_seconds(Duration d) { return static_cast<double>(d.count()) / 1e9; }
constexpr bool known(Time t) { return t != Time{}; }

// Wall-clock nanoseconds since the Unix epoch, for pairing with MonotonicClock::now().
std::uint64_t realtime_ns();

}  // namespace srvprof
