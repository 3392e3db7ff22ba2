// The load: keep-alive GETs over loopback, closed loop or open loop, in one thread that never sleeps
// (a generator that must be woken adds the wake-up to what the server pays).
#pragma once

#include <cstdint>
#include <string>

#include "shared.h"

namespace srvprof {

struct LoadOptions {
  std::uint16_t port = 0;
  std::string path = "/";  // "{n}" becomes the number of the request, always 10 digits
  unsigned connections = 64;
};

// Loads 127.0.0.1:port until counters.stop; in a process of its own. Every answer must be a 200 and
// have the length of the first one. On failure says why in counters.error and returns 1.
int run_load(const LoadOptions& options, LoadCounters& counters);

}  // namespace srvprof
