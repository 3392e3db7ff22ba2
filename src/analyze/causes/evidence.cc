#include "analyze/causes/evidence.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/frames.h"
#include "analyze/words.h"

namespace srvprof {

StallKey stall_key(RequestId request, const Tile& tile) {
  if (tile.gc != GcShare::kNone) return {4, 0, tile.span};
  if (tile.off && tile.thread) return {1, tile.thread.value, tile.off};
  if (tile.who.kind == Who::Kind::kRequest) return {2, 0, tile.who.id};
  // Nothing is shared: the wait is this request's own.
  return {3, request.value, to_ns(tile.begin)};
}

std::string echo_words(const ClaimStats& stats) {
  Duration sum{};
  for (const ClaimedTile& c : stats.tiles) {
    if (c.tile.echo_of) sum += c.tile.length;
  }
  if (sum == Duration(0)) return {};
  return fmt::format("of it {} in the queue that the stalls left behind",
                     ms_words(per_request(stats, sum)));
}

Duration per_request(const ClaimStats& stats, Duration sum) {
  if (stats.subject_requests == 0) return {};
  Duration total{};
  for (const ClaimedTile& c : stats.tiles) total += c.tile.length;
  if (total <= Duration(0)) return {};
  const double part = static_cast<double>(sum.count()) / static_cast<double>(total.count());
  return Duration(static_cast<std::int64_t>(part * static_cast<double>(stats.gap.count())));
}

double share_of_gap(const ClaimStats& stats, Duration sum) {
  if (stats.whole_gap <= Duration(0)) return 0;
  return to_ms(per_request(stats, sum)) / to_ms(stats.whole_gap);
}

std::string stalls_words(const ClaimStats& stats) {
  // Requests see different parts of one stall; the longest part is nearest to its length.
  std::map<StallKey, Duration> stalls;
  for (const ClaimedTile& c : stats.tiles) {
    Duration& longest = stalls[stall_key(c.request, c.tile)];
    longest = std::max(longest, c.tile.length);
  }
  Duration sum{}, longest{};
  for (const auto& [key, length] : stalls) {
    sum += length;
    longest = std::max(longest, length);
  }
  if (stalls.empty()) return "no stall";
  const auto n = static_cast<std::int64_t>(stalls.size());
  if (n == 1) return fmt::format("one stall of {}", ms_words(longest));
  return fmt::format("{} of {} on average, the longest {}", plural_words(stalls.size(), "stall"),
                     ms_words(sum / n), ms_words(longest));
}

std::string stack_words(const Trace& trace, const ClaimStats& stats) {
  const auto by_stack = sum_by<std::uint64_t>(stats, [&](const ClaimedTile& c) -> std::uint64_t {
    if (!c.tile.thread || c.tile.off == 0) return 0;
    const OffInterval& off = trace.thread(c.tile.thread).off[c.tile.off - 1];
    return off.kstack ? off.kstack : off.ustack;
  });
  for (const auto& [hash, time] : largest(by_stack, by_stack.size())) {
    if (hash == 0) continue;
    std::string names = innermost_names(trace, hash, 3);
    if (!names.empty()) return names;
  }
  return {};
}

std::string excess_words(const ClaimStats& stats) {
  return ms_words(std::max(stats.gap, Duration(0)));
}

std::string route_words(const Trace& trace, RouteId route) {
  const std::string& name = trace.routes[route.value];
  return name.empty() ? "requests without a readable path" : name;
}

Duration state_time(const ClaimStats& stats, State state) {
  Duration sum{};
  for (const ClaimedTile& c : stats.tiles) {
    if (c.tile.state == state) sum += c.tile.length;
  }
  return stats.subject_requests ? sum / static_cast<std::int64_t>(stats.subject_requests)
                                : Duration{};
}

}  // namespace srvprof
