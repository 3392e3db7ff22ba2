// Why the slow requests of a group are slow, and what its ordinary requests are made of.
#pragma once

#include <vector>

#include "analyze/claims.h"
#include "analyze/groups.h"

namespace srvprof {

// Fills gap, ledgers, explained, not_explained_why and findings of group.out.
//
// Baseline: the body (p40..p60). If the ordinary request itself waits (mean >= 2 ms, at least half
// of it not its own CPU) mostly for what the slow ones wait for, the fastest requests (p1..p10) are
// the baseline of the shares: else a queue that holds everybody would vanish from its own
// explanation. The findings say so.
void explain(const CauseContext& ctx, const TileSource& source, GroupData& group);

}  // namespace srvprof
