// What the recording lost, and whether a claim survives it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analyze/causes/cause.h"

namespace srvprof {

// Totals by reason, largest first.
std::vector<std::pair<std::string, std::uint64_t>> losses_by_reason(const Trace& trace);

// Requests that are known to be lost.
std::uint64_t lost_requests(const Trace& trace);

// Shares of what was lost of the scheduler's records and of the requests in [from, to).
struct LossShare {
  double scheduler = 0, requests = 0;
};
LossShare loss_share(const Trace& trace, Time from, Time to);

// True if more of what the claim rests on was lost than the claim is worth: then it is not made.
bool loss_forbids(const CauseContext& ctx, const ClaimStats& stats);

}  // namespace srvprof
