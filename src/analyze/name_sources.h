// Which symbol source gave the names of what share of frames: what a reader may expect of the flame
// graph.
#pragma once

#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// Lines "names" (user frames of all samples by source) and, where code of a JIT compiler was met
// whose function is not known, "names of compiled code". None if there are no user stacks.
std::vector<CoverageLine> name_sources(const Trace& trace);

}  // namespace srvprof
