// Which of the recorded requests a load generator's output is about, and when its clock was zero.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyze/load_view.h"
#include "trace/model.h"

namespace srvprof {

// A load generator's run within the recording.
struct LoadSet {
  Time begin, end;
  std::string aligned;               // how the times were told, in words
  std::optional<Time> zero;          // of the samples' times; nothing if they cannot be placed
  std::vector<RequestId> requests;   // by connection, then by arrival; streams included
  std::vector<std::uint32_t> peers;  // its processes on this machine; empty = not known
  std::uint64_t connections = 0;     // with at least one of these requests
};

// `load`: the command that srvprof started, null for a file.
LoadSet align_load(const Trace& trace, const ClientRun& run, const rows::Load* load);

// The recording's clock at a wall-clock instant, by the clock pairs around it. Nothing if the
// recording has none.
std::optional<Time> at_wall_clock(const Trace& trace, Duration since_epoch);

}  // namespace srvprof
