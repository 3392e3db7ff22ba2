// Phases of the load: idle, warm-up, steady, or what the user marked. Percentiles never mix them.
#pragma once

#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// The phases tile [t_begin, t_end) without gap; names are unique ("steady", "steady-2", ...). A
// request belongs to the phase in which it arrived.
std::vector<LoadPhase> load_phases(const Trace& trace);

// Index of the phase that holds `t` (the first or last one if t lies outside). phases is not empty.
std::size_t phase_at(const std::vector<LoadPhase>& phases, Time t);

bool is_idle(const LoadPhase& phase);

}  // namespace srvprof
