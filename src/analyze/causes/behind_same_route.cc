// Queueing: the thread served other requests of the same route. At full utilisation this is what
// saturation looks like from inside.
#include <fmt/format.h>

#include "analyze/causes/behind.h"
#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/samples.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"behind-other-route", "handler-cpu", "runq-neighbour",
                                            "runq-own-threads", "cpu-quota"};

bool claims(const CauseContext& ctx, const Request&, const Tile& tile) {
  const RouteId route = route_in_front(ctx, tile);
  return route && route == ctx.route;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.culprits = culprits_by_route(ctx, stats);
  f.title = "queueing behind requests of the same route";
  f.evidence.push_back(fmt::format("{} served other requests of {} for {} meanwhile",
                                   server_word(ctx.trace), route_words(ctx.trace, ctx.route),
                                   ms_words(stats.gap)));
  for (const std::string& line : {run_length_words(ctx, stats), utilisation_words(ctx, stats),
                                  sample_words(ctx.trace, stats.tiles)}) {
    if (!line.empty()) f.evidence.push_back(line);
  }
  f.tries.push_back("less load, less work a request, or more workers: this is a queue");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} behind requests of the same route", excess_words(stats));
}

}  // namespace

const Cause kBehindSameRouteCause{
    .id = "behind-same-route",
    .title = "queueing behind requests of the same route",
    .doc = "the thread served other requests of the same route meanwhile",
    .claims = claims,
    .describe = describe,
    .innocent = innocent,
    .look_alikes = kLookAlikes};

}  // namespace srvprof
