#include "analyze/losses.h"

#include <algorithm>
#include <map>

namespace srvprof {
namespace {

bool concerns_scheduler(const std::string& reason) {
  return reason.find("scheduling") != std::string::npos ||
         reason.find("for a thread") != std::string::npos;
}

bool concerns_requests(const std::string& reason) {
  return reason.find("requests") != std::string::npos ||
         reason.find("for a socket") != std::string::npos;
}

bool rests_on_scheduler(const ClaimStats& stats) {
  for (const ClaimedTile& c : stats.tiles) {
    if (c.tile.off || c.tile.state != State::kDownstream) return true;
  }
  return false;
}

double share(std::uint64_t lost, std::uint64_t kept) {
  return lost == 0 ? 0.0 : static_cast<double>(lost) / static_cast<double>(lost + kept);
}

}  // namespace

std::vector<std::pair<std::string, std::uint64_t>> losses_by_reason(const Trace& trace) {
  std::map<std::string, std::uint64_t> sums;
  for (const rows::Loss& row : trace.losses) sums[row.reason] += row.count;
  std::vector<std::pair<std::string, std::uint64_t>> out;
  for (const auto& [reason, count] : sums) {
    if (count) out.emplace_back(reason, count);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

std::uint64_t lost_requests(const Trace& trace) {
  std::uint64_t sum = 0;
  for (const rows::Loss& row : trace.losses) {
    if (concerns_requests(row.reason)) sum += row.count;
  }
  return sum;
}

LossShare loss_share(const Trace& trace, Time from, Time to) {
  std::uint64_t scheduler = 0, requests = 0;
  for (const rows::Loss& row : trace.losses) {
    if (row.t_to <= from || row.t_from >= to) continue;
    if (concerns_scheduler(row.reason)) scheduler += row.count;
    if (concerns_requests(row.reason)) requests += row.count;
  }
  if (scheduler == 0 && requests == 0) return {};
  std::uint64_t kept_off = 0;
  for (const Thread& thread : trace.threads) {
    const auto by_end = [](const OffInterval& o, Time t) { return o.t_in < t; };
    const auto lo = std::lower_bound(thread.off.begin(), thread.off.end(), from, by_end);
    const auto hi = std::lower_bound(lo, thread.off.end(), to, by_end);
    kept_off += static_cast<std::uint64_t>(hi - lo);
  }
  const auto by_arrival = [](const Request& r, Time t) { return r.t_arrive < t; };
  const auto lo = std::lower_bound(trace.requests.begin(), trace.requests.end(), from, by_arrival);
  const auto hi = std::lower_bound(lo, trace.requests.end(), to, by_arrival);
  return {share(scheduler, kept_off), share(requests, static_cast<std::uint64_t>(hi - lo))};
}

bool loss_forbids(const CauseContext& ctx, const ClaimStats& stats) {
  if (ctx.trace.losses.empty()) return false;
  const LossShare lost = loss_share(ctx.trace, ctx.begin, ctx.end);
  return (rests_on_scheduler(stats) && lost.scheduler > stats.share) || lost.requests > stats.share;
}

}  // namespace srvprof
