// Phases of the load: idle, warm-up, ramp, steady, overload, spike, drain, or what the user named.
// Percentiles never mix them.
#pragma once

#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// The phases tile [t_begin, t_end) without gap; names are unique ("steady", "steady-2", ...). A
// request belongs to the phase in which it arrived. By change points of the load (phase_pieces.h),
// unless somebody said it: --phases FILE, then srvprof mark, then the stages of a load command. The
// start and end of a load command that srvprof started bound the load.
std::vector<LoadPhase> load_phases(const Trace& trace);

// Index of the phase that holds `t` (the first or last one if t lies outside). phases is not empty.
std::size_t phase_at(const std::vector<LoadPhase>& phases, Time t);

bool is_idle(const LoadPhase& phase);

}  // namespace srvprof
