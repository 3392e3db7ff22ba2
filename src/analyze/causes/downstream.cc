// A reply on an outgoing connection was due.
#include <fmt/format.h>

#include <set>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"lock", "pool", "behind-other-route", "runq-neighbour",
                                            "cpu-quota"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kDownstream;
}

struct Peer {
  std::string address;  // "127.0.0.1:5432"; empty = not known
  std::uint32_t pid = 0;
  friend auto operator<=>(const Peer&, const Peer&) = default;
};

Peer peer_of(const Trace& trace, const Tile& tile) {
  if (tile.who.kind != Who::Kind::kConn) return {};
  const Conn& conn = trace.conn(ConnId{tile.who.id});
  return {remote_words(conn), conn.peer_pid};
}

// Questions asked for each of the claimed requests, mean.
double questions(const CauseContext& ctx, const ClaimStats& stats) {
  std::set<RequestId> requests;
  for (const ClaimedTile& c : stats.tiles) requests.insert(c.request);
  std::size_t n = 0;
  for (const RequestId id : requests) n += exchanges_of(ctx.trace, id).size();
  return requests.empty() ? 0 : static_cast<double>(n) / static_cast<double>(requests.size());
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "waiting for a reply on an outgoing connection";
  const auto by_peer =
      sum_by<Peer>(stats, [&](const ClaimedTile& c) { return peer_of(ctx.trace, c.tile); });
  for (const auto& [peer, sum] : largest(by_peer, 5)) {
    Culprit c;
    c.pid = peer.pid;
    if (const Process* process = find_process(ctx.trace, peer.pid); process && peer.pid) {
      c.comm = process->comm;
      c.cgroup = process->cgroup;
    }
    c.what = peer.address.empty() ? "a peer that is not known" : peer.address;
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    const std::string who =
        c.comm.empty() ? c.what : fmt::format("{} ({}, pid {})", c.what, c.comm, c.pid);
    if (f.culprits.empty()) {
      f.title = fmt::format("waiting for a reply from {}", who);
      f.tries.push_back(fmt::format("look at {}: its replies are what is late", who));
    }
    f.evidence.push_back(fmt::format("a reply from {} was due for {}", who, ms_words(c.time)));
    f.culprits.push_back(std::move(c));
  }
  f.evidence.push_back(
      fmt::format("{:.1f} questions on outgoing connections a request", questions(ctx, stats)));
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  if (stats.subject_mean == Duration(0)) return "no reply on an outgoing connection was due";
  return fmt::format("{} waiting for outgoing connections", excess_words(stats));
}

}  // namespace

const Cause kDownstreamCause{.id = "downstream",
                             .title = "waiting for a downstream",
                             .doc = "a reply on an outgoing connection was due",
                             .claims = claims,
                             .describe = describe,
                             .innocent = innocent,
                             .look_alikes = kLookAlikes};

}  // namespace srvprof
