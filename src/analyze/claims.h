// Who claims what: the tiles of a set of requests, shared out among the causes in their precedence.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "analyze/causes/cause.h"

namespace srvprof {

// Where tiles come from: tiles_of() of the trace, or what a test says.
using TileSource = std::function<void(const Trace&, RequestId, std::vector<Tile>&)>;

// The tile as it is charged: to the stall that it is an echo of, if it is one.
Tile charged(const Trace& trace, const Tile& tile);

// Index into all_causes() of the first cause that claims a charged() tile, or all_causes().size()
// if none does.
std::size_t claimant(const CauseContext& ctx, const Request& request, const Tile& tile);

// The ledgers of a set of requests and what each cause claimed of them. Vectors are by the index of
// the cause; the entry behind the last cause is what nobody claimed.
struct ClaimSet {
  std::vector<RequestId> requests;  // those that were looked at
  std::uint64_t represented = 0;    // those that they stand for
  Duration mean_latency{};
  Ledger mean;                                    // per request
  std::vector<Duration> claimed;                  // mean per request
  std::vector<std::vector<ClaimedTile>> tiles;    // empty unless asked for
  std::vector<std::vector<Duration>> of_request;  // [request][cause]
};

// No more than `most` of `ids`, evenly spread, and so few that their ledgers are about a million tiles
// (at least 200): a request that waited a second behind others has tens of thousands.
std::vector<RequestId> spread(const Trace& trace, const TileSource& source,
                              std::span<const RequestId> ids, std::size_t most);

// Looks at no more than `most` of the requests: a spread() of `ids`.
ClaimSet claim(const CauseContext& ctx, const TileSource& source, std::span<const RequestId> ids,
               std::size_t most, bool keep_tiles);

// The statistics of one cause: `subject` against `baseline` (null: against nothing, for findings
// about what ordinary requests are made of).
ClaimStats stats_of(ClaimSet& subject, const ClaimSet* baseline, std::size_t cause);

}  // namespace srvprof
