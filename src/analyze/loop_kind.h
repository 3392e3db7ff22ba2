// Whether a load generator waits for answers before it sends on (a closed loop).
#pragma once

#include <optional>
#include <string>

#include "analyze/load_align.h"

namespace srvprof {

struct LoopFacts {
  LoopKind kind = LoopKind::kUnknown;
  std::string why;
  // From an answer's last write to the next request's arrival on the same connection: the
  // generator's time. Only of a closed loop.
  std::optional<Duration> turnaround_p50, turnaround_p99, turnaround_mean;
};

// Told by what happens in the server's stalls: a closed loop's arrivals stop, an open loop's go on.
// Without stalls by how much of the time its connections wait for answers, else by the tool.
LoopFacts loop_of(const Trace& trace, const LoadSet& set, const ClientRun& run);

}  // namespace srvprof
