// What most causes say about the tiles that they claimed: who, how often, where.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyze/causes/cause.h"

namespace srvprof {

// Which distinct interval a tile is a part of: requests that waited through the same one share it.
struct StallKey {
  std::uint32_t kind = 0, thread = 0;
  std::uint64_t what = 0;
  friend auto operator<=>(const StallKey&, const StallKey&) = default;
};
StallKey stall_key(RequestId request, const Tile& tile);

// The part of the claim that was spent in the echo of its stalls; empty if there is none.
std::string echo_words(const ClaimStats& stats);

// Sums of the subject's tiles by a key.
template <class Key>
std::map<Key, Duration> sum_by(const ClaimStats& stats,
                               const std::function<Key(const ClaimedTile&)>& key) {
  std::map<Key, Duration> sums;
  for (const ClaimedTile& c : stats.tiles) sums[key(c)] += c.tile.length;
  return sums;
}

// A sum over the subject as a mean per request, and as a share of the gap. The baseline's part is
// taken off in proportion.
Duration per_request(const ClaimStats& stats, Duration sum);
double share_of_gap(const ClaimStats& stats, Duration sum);

// The entries with the largest sums, largest first.
template <class Key>
std::vector<std::pair<Key, Duration>> largest(const std::map<Key, Duration>& sums, std::size_t n) {
  std::vector<std::pair<Key, Duration>> list(sums.begin(), sums.end());
  std::stable_sort(list.begin(), list.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (list.size() > n) list.resize(n);
  return list;
}

// Mean, largest and number of the distinct stalls: "312 stalls of 8.1 ms on average, the longest 41
// ms".
std::string stalls_words(const ClaimStats& stats);

// The stack that most of the claimed time was spent below, kernel first; empty if none was
// recorded.
std::string stack_words(const Trace& trace, const ClaimStats& stats);

// "0.2 ms" claimed per request beyond the baseline, floored at zero.
std::string excess_words(const ClaimStats& stats);

std::string route_words(const Trace& trace, RouteId route);

// The time of `state` in a set of claimed tiles, per request.
Duration state_time(const ClaimStats& stats, State state);

}  // namespace srvprof
