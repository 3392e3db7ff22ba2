// The command line of overhead_bench.
#pragma once

#include <optional>
#include <string>

#include "measure.h"

namespace srvprof {

// What to do, or nothing: then `message` says why (empty: help was printed) .
std::optional<BenchOptions> parse_options(int argc, char** argv, std::string& message);
extern const char kUsage[];

}  // namespace srvprof
