#include "analyze/causes/behind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/causes/evidence.h"
#include "analyze/words.h"

namespace srvprof {

RouteId route_in_front(const CauseContext& ctx, const Tile& tile) {
  if (tile.state != State::kBehind || tile.who.kind != Who::Kind::kRequest) return {};
  return ctx.trace.request(RequestId{tile.who.id}).route;
}

std::vector<Culprit> culprits_by_route(const CauseContext& ctx, const ClaimStats& stats) {
  const auto by_route = sum_by<std::uint32_t>(
      stats, [&](const ClaimedTile& c) { return route_in_front(ctx, c.tile).value; });
  std::vector<Culprit> out;
  for (const auto& [route, sum] : largest(by_route, 5)) {
    Culprit c;
    c.what = route_words(ctx.trace, RouteId{route});
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    out.push_back(std::move(c));
  }
  return out;
}

std::string_view server_word(const Trace& trace) {
  return trace.model == RuntimeModel::kEventLoop ? "the loop" : "the thread";
}

std::string utilisation_words(const CauseContext& ctx, const ClaimStats& stats) {
  const auto by_thread =
      sum_by<std::uint32_t>(stats, [](const ClaimedTile& c) { return c.tile.thread.value; });
  const auto top = largest(by_thread, 1);
  if (top.empty() || top.front().first == 0 || ctx.end <= ctx.begin) return {};
  const Thread& thread = ctx.trace.thread(ThreadId{top.front().first});
  const ThreadTotals t = totals_of(thread, ctx.begin, ctx.end);
  const double span = to_seconds(ctx.end - ctx.begin);
  return fmt::format("{} ({}) was on CPU {} of the phase, waiting for a CPU {}",
                     server_word(ctx.trace), task_words(ctx.trace, thread.tid),
                     percent_words(to_seconds(t.cpu) / span),
                     percent_words(to_seconds(t.runq + t.throttled) / span));
}

std::string run_length_words(const CauseContext&, const ClaimStats& stats) {
  // What one waiting request saw of one request in front; several may see the same run.
  std::map<std::uint32_t, Duration> runs;
  for (const ClaimedTile& c : stats.tiles) {
    if (c.tile.who.kind != Who::Kind::kRequest) continue;
    Duration& longest = runs[c.tile.who.id];
    longest = std::max(longest, c.tile.length);
  }
  if (runs.empty()) return {};
  Duration sum{}, longest{};
  for (const auto& [id, length] : runs) {
    sum += length;
    longest = std::max(longest, length);
  }
  return fmt::format("{} in front, one ran for {} on average, the longest {}",
                     plural_words(runs.size(), "request"),
                     ms_words(sum / static_cast<std::int64_t>(runs.size())), ms_words(longest));
}

}  // namespace srvprof
