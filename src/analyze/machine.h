// The whole machine during the run: who used the CPUs, and how much of the time the target idled.
#pragma once

#include <optional>
#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// Averages over the recording, by CPU use, largest first.
std::vector<MachineProcess> machine_use(const Trace& trace);

// Fills the CPU figures of the phases. A row of the recording counts as far as it overlaps the
// phase.
void add_phase_use(const Trace& trace, std::vector<LoadPhase>& phases);

// Share of the loaded phases (all that are not idle) during which no thread of the target was on a
// CPU or waiting for one. Nothing if no thread's timeline is known.
std::optional<double> target_idle_share(const Trace& trace, const std::vector<LoadPhase>& phases);

}  // namespace srvprof
