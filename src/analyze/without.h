// What the 99th percentile would be without a cause. An estimate: it takes the claimed time off
// each request, and knows nothing of what the requests would then have met instead.
#pragma once

#include "analyze/claims.h"
#include "analyze/groups.h"

namespace srvprof {

// Fills p99_without of the group's findings. A request keeps at least the median of the group (or
// its own latency if that is less).
void estimate_without(const CauseContext& ctx, const TileSource& source, GroupData& group);

}  // namespace srvprof
