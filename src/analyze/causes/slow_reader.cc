// The send buffer was full: the peer did not read the answer as fast as it was written.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"downstream", "handler-cpu", "runq-neighbour",
                                            "cpu-quota"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kBackpressure;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "a slow reader: the send buffer was full";
  const auto by_peer = sum_by<std::string>(stats, [&](const ClaimedTile& c) {
    return ctx.trace.conn(ctx.trace.request(c.request).conn).remote_addr;
  });
  for (const auto& [address, sum] : largest(by_peer, 3)) {
    Culprit c;
    c.what = address.empty() ? "a peer that is not known" : address;
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    f.evidence.push_back(fmt::format("{} did not read for {}", c.what, ms_words(c.time)));
    f.culprits.push_back(std::move(c));
  }
  std::uint64_t bytes = 0;
  for (const ClaimedTile& c : stats.tiles) bytes += ctx.trace.request(c.request).bytes_out;
  if (!stats.tiles.empty()) {
    f.evidence.push_back(
        fmt::format("answers of {} on average", bytes_words(bytes / stats.tiles.size())));
  }
  f.tries.push_back("look at the client or the network; smaller or compressed answers");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} with a full send buffer", excess_words(stats));
}

}  // namespace

const Cause kSlowReaderCause{.id = "slow-reader",
                             .title = "a slow reader",
                             .doc = "the send buffer was full, the peer reads slowly",
                             .claims = claims,
                             .describe = describe,
                             .innocent = innocent,
                             .look_alikes = kLookAlikes};

}  // namespace srvprof
