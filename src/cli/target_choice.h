// Which processes to attach to: --pid, --tid, --port, --name, --cgroup, or bare pids.
#pragma once

#include <vector>

#include "base/result.h"
#include "cli/args.h"
#include "target/process.h"

namespace srvprof {

// At least one process, all alive and traceable as far as /proc tells. The first names the
// recording.
Result<std::vector<ProcessInfo>> chosen_targets(const Args& args);

}  // namespace srvprof
