// How many of the user stacks reach the outermost frame of their thread.
#pragma once

#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// A line for on-CPU samples and one for waits, for each process that has stacks: "stacks on CPU (node)".
std::vector<CoverageLine> stack_coverage(const Trace& trace);

}  // namespace srvprof
