#include "base/time.h"

#include <ctime>

namespace srvprof {
namespace {

std::uint64_t read_clock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return static_cast<std::uint64_t>(ts.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(ts.tv_nsec);
}

}  // namespace

MonotonicClock::time_point MonotonicClock::now() { return time_from_ns(read_clock(CLOCK_MONOTONIC)); }

std::uint64_t realtime_ns() { return read_clock(CLOCK_REALTIME); }

}  // namespace srvprof
