// Memory was not there: blocked on a page, or so many minor faults that they are the work.
#include <fmt/format.h>

#include <set>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"disk", "lock", "handler-cpu", "steal"};
// A minor fault takes about 0.5 to 2 us: from here on they are a millisecond or so of the CPU time.
constexpr double kManyFaults = 500;

bool claims(const CauseContext& ctx, const Request& request, const Tile& tile) {
  if (tile.state == State::kBlockedFault) return true;
  return tile.state == State::kCpu &&
         static_cast<double>(request.min_flt) >= ctx.baseline_min_flt + kManyFaults;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "page faults";
  std::set<RequestId> requests;
  std::uint64_t minor = 0, major = 0;
  for (const ClaimedTile& c : stats.tiles) {
    if (!requests.insert(c.request).second) continue;
    minor += ctx.trace.request(c.request).min_flt;
    major += ctx.trace.request(c.request).maj_flt;
  }
  const double n = requests.empty() ? 1 : static_cast<double>(requests.size());
  f.evidence.push_back(stalls_words(stats));
  f.evidence.push_back(fmt::format(
      "{:.0f} minor and {:.1f} major faults in each of these requests, {:.0f} minor in "
      "an ordinary one",
      static_cast<double>(minor) / n, static_cast<double>(major) / n, ctx.baseline_min_flt));
  f.evidence.push_back(fmt::format("blocked on a page {}, on CPU while faulting {}",
                                   ms_words(state_time(stats, State::kBlockedFault)),
                                   ms_words(state_time(stats, State::kCpu))));
  const std::string stack = stack_words(ctx.trace, stats);
  if (!stack.empty()) f.evidence.push_back(fmt::format("kernel stack: {}", stack));
  f.tries.push_back(
      "touch the memory before the load (warm up, MAP_POPULATE), keep buffers instead of "
      "mapping them anew, more memory if pages were evicted");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} in page faults", excess_words(stats));
}

}  // namespace

const Cause kPageFaultCause{.id = "page-fault",
                            .title = "page faults",
                            .doc = "blocked on a page, or hundreds of faults more than usual",
                            .claims = claims,
                            .describe = describe,
                            .innocent = innocent,
                            .look_alikes = kLookAlikes};

}  // namespace srvprof
