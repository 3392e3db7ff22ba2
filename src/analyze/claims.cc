#include "analyze/claims.h"

#include <algorithm>
#include <set>

#include "analyze/causes/evidence.h"

namespace srvprof {
namespace {

constexpr double kNoticeable =
    0.1;  // of a request's excess: then the cause counts for that request

constexpr std::size_t kMostTiles = 1'000'000;
constexpr std::size_t kFewest = 200, kProbed = 16;  // requests

void divide(Ledger& ledger, std::int64_t n) {
  for (auto& row : ledger.cell) {
    for (Duration& cell : row) cell /= n;
  }
  ledger.unnamed /= n;
  for (Duration& d : ledger.gc) d /= n;
}

}  // namespace

std::vector<RequestId> spread(const Trace& trace, const TileSource& source,
                              std::span<const RequestId> ids, std::size_t most) {
  const auto pick = [&](std::size_t n) {
    std::vector<RequestId> out;
    out.reserve(n);
    for (std::size_t k = 0; k < n; ++k) out.push_back(ids[k * ids.size() / n]);
    return out;
  };
  const std::size_t n = std::min(ids.size(), most);
  if (n <= kFewest) return pick(n);
  std::size_t count = 0;
  std::vector<Tile> tiles;
  for (const RequestId id : pick(kProbed)) {
    source(trace, id, tiles);
    count += tiles.size();
  }
  const std::size_t affordable = kMostTiles / std::max<std::size_t>(count / kProbed, 1);
  return pick(std::clamp(affordable, kFewest, n));
}

Tile charged(const Trace& trace, const Tile& tile) {
  if (tile.echo_of == 0 || !tile.thread || tile.gc != GcShare::kNone) return tile;
  const Thread& thread = trace.thread(tile.thread);
  if (tile.echo_of > thread.stalls.size()) return tile;
  const Stall& stall = thread.stalls[tile.echo_of - 1];
  Tile out = tile;
  out.state = stall.state;
  out.who = stall.who;
  out.off = stall.off;
  out.span = stall.span;
  if (stall.span != 0) out.gc = GcShare::kStop;
  return out;
}

std::size_t claimant(const CauseContext& ctx, const Request& request, const Tile& tile) {
  const auto causes = all_causes();
  for (std::size_t i = 0; i < causes.size(); ++i) {
    if (causes[i]->claims && causes[i]->claims(ctx, request, tile)) return i;
  }
  return causes.size();
}

ClaimSet claim(const CauseContext& ctx, const TileSource& source, std::span<const RequestId> ids,
               std::size_t most, bool keep_tiles) {
  const std::size_t columns = all_causes().size() + 1;
  ClaimSet set;
  set.represented = ids.size();
  set.claimed.assign(columns, {});
  set.tiles.resize(columns);
  if (ids.empty() || most == 0) return set;
  set.requests = spread(ctx.trace, source, ids, most);
  std::vector<Tile> tiles;
  for (const RequestId id : set.requests) {
    const Request& request = ctx.trace.request(id);
    source(ctx.trace, id, tiles);
    std::vector<Duration>& row = set.of_request.emplace_back(columns);
    for (const Tile& tile : tiles) {
      set.mean.add(tile);
      const Tile as_charged = charged(ctx.trace, tile);
      const std::size_t cause = claimant(ctx, request, as_charged);
      row[cause] += tile.length;
      if (keep_tiles) set.tiles[cause].push_back({id, as_charged});
    }
    for (std::size_t c = 0; c < columns; ++c) set.claimed[c] += row[c];
    set.mean_latency += request.latency();
  }
  const auto count = static_cast<std::int64_t>(set.requests.size());
  divide(set.mean, count);
  for (Duration& d : set.claimed) d /= count;
  set.mean_latency /= count;
  return set;
}

ClaimStats stats_of(ClaimSet& subject, const ClaimSet* baseline, std::size_t cause) {
  ClaimStats s;
  s.cause = all_causes()[cause];
  s.of_body = baseline == nullptr;
  s.subject_mean = subject.claimed[cause];
  s.baseline_mean = baseline ? baseline->claimed[cause] : Duration{};
  s.gap = s.subject_mean - s.baseline_mean;
  s.whole_gap = subject.mean_latency - (baseline ? baseline->mean_latency : Duration{});
  if (s.whole_gap > Duration(0)) s.share = to_ms(s.gap) / to_ms(s.whole_gap);
  s.subject_requests = subject.represented;
  std::uint64_t noticed = 0;
  for (const auto& row : subject.of_request) {
    Duration latency{};
    for (const Duration d : row) latency += d;
    const Duration excess = latency - (baseline ? baseline->mean_latency : Duration{});
    const double own = to_ms(row[cause] - s.baseline_mean);
    noticed += own > 0 && own >= kNoticeable * to_ms(excess);
  }
  if (!subject.requests.empty()) {
    // Where only a part was looked at, the part stands for all.
    s.requests = noticed * subject.represented / subject.requests.size();
  }
  std::set<StallKey> stalls;
  for (const ClaimedTile& c : subject.tiles[cause]) stalls.insert(stall_key(c.request, c.tile));
  s.stalls = stalls.size();
  s.tiles = std::move(subject.tiles[cause]);
  return s;
}

}  // namespace srvprof
