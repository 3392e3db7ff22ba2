// Ends a recording that would harm its target. Pure: decides, does nothing.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"

namespace srvprof {

class Watchdog {
 public:
  // When srvprof costs too much: more than `share` of the CPU time of the targets (0 = never), and more than
  // `cpus`, so that a target that idles is no reason.
  struct Limits {
    double share = 0.50, cpus = 0.50;
  };
  // The limits of a user who gave a share: --max-overhead.
  static constexpr double kCpusIfShareIsGiven = 0.02;

  // Sums since the recording began.
  struct Sums {
    Time t;
    Duration bpf{};             // our programs, reckoned from the windows in which they were timed
    Duration own{};             // CPU of this process
    Duration target{};          // CPU of the targets
    std::uint64_t requests = 0;
    std::uint64_t lost = 0;     // records that found no room
    std::uint64_t segments = 0; // TCP segments that came into the targets' network namespace
    std::uint64_t resets = 0;   // connections that it reset, or that were reset
  };

  // `before` and `begin`: the sums when the probes began to be loaded and when they went live; what came
  // between is the time to compare with.
  Watchdog(const Limits& limits, const Sums& before, const Sums& begin)
      : limits_(limits), before_(before), begin_(begin), rounds_{begin} {}

  // About once a second. Says why the probes must go, in words:
  //  - srvprof took more than the limits, over five seconds;
  //  - each of the last ten seconds lost more than a tenth of its records;
  //  - in the first ten seconds, connections are reset ten times as often as before, and at least one in
  //    a hundred segments is, while segments come in no more often than before.
  std::optional<std::string> check(const Sums& now);

 private:
  std::optional<std::string> check_cost() const;
  std::optional<std::string> check_losses() const;
  std::optional<std::string> check_resets() const;

  Limits limits_;
  Sums before_, begin_;
  std::deque<Sums> rounds_;  // oldest first, as far back as the rules look
  unsigned losing_rounds_ = 0;
};

}  // namespace srvprof
