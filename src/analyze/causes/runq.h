// Shared by the three run-queue causes: a thread was runnable while somebody else had the CPU.
#pragma once

#include <string>
#include <vector>

#include "analyze/causes/cause.h"

namespace srvprof {

// Whose task held the CPU. kUnknown for tiles that are no run-queue wait, or a wait for an idle CPU
// to wake up, or of an occupant that the recording does not name.
Owner occupant_of(const CauseContext& ctx, const Tile& tile);

// Occupants outside the target by process, with their time, largest first.
std::vector<Culprit> culprits_by_process(const CauseContext& ctx, const ClaimStats& stats);

// Evidence that all three share: the counts, and preemption against waiting after a wake-up.
std::vector<std::string> runq_evidence(const ClaimStats& stats);

}  // namespace srvprof
