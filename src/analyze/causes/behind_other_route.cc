// Head-of-line blocking: the thread ran the code of requests of another route.
#include <fmt/format.h>

#include "analyze/causes/behind.h"
#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/samples.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"runq-own-threads", "runq-neighbour",
                                            "runq-load-generator", "cpu-quota", "pool"};

bool claims(const CauseContext& ctx, const Request&, const Tile& tile) {
  const RouteId route = route_in_front(ctx, tile);
  return route && route != ctx.route;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.culprits = culprits_by_route(ctx, stats);
  const std::string route = f.culprits.empty() ? "another route" : f.culprits.front().what;
  const std::string_view server = server_word(ctx.trace);
  f.title = fmt::format(
      "behind {} on {}", route,
      ctx.trace.model == RuntimeModel::kEventLoop ? "the same event loop" : "the same thread");
  f.evidence.push_back(
      fmt::format("{} ran the code of {} for {} meanwhile", server, route,
                  ms_words(f.culprits.empty() ? stats.gap : f.culprits.front().time)));
  for (const std::string& line : {run_length_words(ctx, stats), utilisation_words(ctx, stats),
                                  sample_words(ctx.trace, stats.tiles)}) {
    if (!line.empty()) f.evidence.push_back(line);
  }
  f.tries.push_back(
      fmt::format("move the work of {} off {} (worker thread, pool, own process), or "
                  "cut it into pieces",
                  route, server));
  return f;
}

std::string innocent(const CauseContext& ctx, const ClaimStats& stats) {
  const auto culprits = culprits_by_route(ctx, stats);
  if (culprits.empty()) {
    return fmt::format("{} ran no other route's code", server_word(ctx.trace));
  }
  return fmt::format("{} itself ran the code of {} for {}", server_word(ctx.trace),
                     culprits.front().what, excess_words(stats));
}

}  // namespace

const Cause kBehindOtherRouteCause{
    .id = "behind-other-route",
    .title = "behind another route on the same loop",
    .doc = "the thread ran the code of requests of another route meanwhile",
    .claims = claims,
    .describe = describe,
    .innocent = innocent,
    .look_alikes = kLookAlikes};

}  // namespace srvprof
