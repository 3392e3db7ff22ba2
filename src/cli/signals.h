// Ctrl-C, SIGTERM and SIGHUP during a recording: the first stops it, the second aborts.
#pragma once

#include <signal.h>

#include <array>

namespace srvprof {

// While it lives, the three signals are counted and SIGPIPE is ignored. One at a time.
class SignalGuard {
 public:
  SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;
  ~SignalGuard();

  // How many have come so far, 2 at most.
  static int count();

 private:
  static constexpr std::array<int, 4> kSignals = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace srvprof
