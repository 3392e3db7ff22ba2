#include "analyze/exemplars.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/collections.h"
#include "analyze/facts.h"
#include "analyze/frames.h"
#include "analyze/phases.h"
#include "analyze/samples.h"

namespace srvprof {
namespace {

std::string request_words(const Trace& trace, std::uint32_t id) {
  const std::string& route = trace.routes[trace.request(RequestId{id}).route.value];
  return fmt::format("{} (request {})", route.empty() ? "a request" : route, id);
}

std::string conn_words(const Trace& trace, std::uint32_t id) {
  const Conn& conn = trace.conn(ConnId{id});
  std::string out = remote_words(conn);
  if (conn.peer_pid) out += " " + process_words(trace, conn.peer_pid);
  return out;
}

// The innermost named frame: of the off-CPU interval, else of the first sample in the tile.
std::string where_words(const Trace& trace, const Tile& tile) {
  if (!tile.thread) return {};
  const Thread& thread = trace.thread(tile.thread);
  if (tile.off) {
    const OffInterval& off = thread.off[tile.off - 1];
    return innermost_name(trace, off.kstack, off.ustack);
  }
  std::string found;
  for_samples(trace, thread.tid, tile.begin, tile.begin + tile.length, [&](const rows::Sample& s) {
    if (found.empty()) found = innermost_name(trace, s.kstack, s.ustack);
  });
  return found;
}

std::string flags_words(const Request& r) {
  std::string out;
  const auto add = [&](bool set, const char* name) {
    if (set) out += (out.empty() ? "" : ",") + std::string(name);
  };
  add(r.first, "first");
  add(r.censored, "censored");
  add(r.aborted, "aborted");
  add(r.stream, "stream");
  add(r.pipelined, "pipelined");
  return out;
}

void add_nearest(const Trace& trace, const TileSource& source, const GroupData& g, double p,
                 std::vector<Exemplar>& out) {
  if (g.members.empty()) return;
  const RequestId id = g.members[rank_of(p, g.members.size())];
  const bool there =
      std::any_of(out.begin(), out.end(), [&](const Exemplar& e) { return e.id == id.value; });
  if (there) return;
  Exemplar e = exemplar(trace, source, id, g.out.phase);
  e.flags += fmt::format("{}p{:g}", e.flags.empty() ? "" : ",", p);
  out.push_back(std::move(e));
}

}  // namespace

std::string who_words(const Trace& trace, const Tile& tile) {
  std::string out;
  switch (tile.who.kind) {
    case Who::Kind::kNone: break;
    case Who::Kind::kIdle: out = "idle CPU waking up"; break;
    case Who::Kind::kTask: out = task_words(trace, tile.who.id); break;
    case Who::Kind::kRequest: out = request_words(trace, tile.who.id); break;
    case Who::Kind::kConn: out = conn_words(trace, tile.who.id); break;
    case Who::Kind::kTimer: out = "code of no request"; break;
    case Who::Kind::kUnsampled: out = "a request that was not recorded in full"; break;
  }
  if (tile.state == State::kPool && tile.worker_state != State::kUnexplained) {
    out += fmt::format("{}{}", out.empty() ? "" : ", ", name_of(tile.worker_state));
  }
  if (tile.who.estimated && !out.empty()) out += " (estimated)";
  if (tile.split_unknown) out += out.empty() ? "split unknown" : ", split unknown";
  if (tile.gc != GcShare::kNone) {
    out += (out.empty() ? "" : ", ") + collection_name(trace.spans[tile.span - 1]);
  }
  if (tile.echo_of) out += out.empty() ? "echo of a stall" : ", echo of a stall";
  return out;
}

Exemplar exemplar(const Trace& trace, const TileSource& source, RequestId id,
                  const std::string& phase) {
  const Request& r = trace.request(id);
  Exemplar e;
  e.id = id.value;
  e.route = trace.routes[r.route.value];
  e.path = trace.strings[r.path.value];
  e.phase = phase;
  e.flags = flags_words(r);
  e.status = r.status;
  e.t_arrive = r.t_arrive;
  e.latency = r.latency();
  e.client = client_ledger(trace, id);
  std::vector<Tile> tiles;
  source(trace, id, tiles);
  for (const Tile& tile : tiles) {
    e.ledger.add(tile);
    e.tiles.push_back({tile.begin - r.t_arrive, tile.length, tile.phase, tile.state,
                       who_words(trace, tile), where_words(trace, tile)});
  }
  return e;
}

std::vector<Exemplar> exemplars_of(const Trace& trace, const TileSource& source,
                                   const std::vector<GroupData>& groups,
                                   const ReportOptions& options) {
  struct Slow {
    RequestId id;
    const std::string* phase;
  };
  std::vector<Slow> slow;
  for (const GroupData& g : groups) {
    // Members are sorted: no more than the last ones of each group can be among the slowest.
    const std::size_t n = std::min(options.exemplars, g.members.size());
    for (std::size_t i = g.members.size() - n; i < g.members.size(); ++i) {
      slow.push_back({g.members[i], &g.out.phase});
    }
  }
  std::sort(slow.begin(), slow.end(), [&](const Slow& a, const Slow& b) {
    const Duration x = trace.request(a.id).latency(), y = trace.request(b.id).latency();
    return x != y ? x > y : a.id < b.id;
  });
  if (slow.size() > options.exemplars) slow.resize(options.exemplars);
  std::vector<Exemplar> out;
  for (const Slow& s : slow) out.push_back(exemplar(trace, source, s.id, *s.phase));
  if (!groups.empty() && options.exemplars > 0) {
    add_nearest(trace, source, groups.front(), 99, out);
    add_nearest(trace, source, groups.front(), 50, out);
  }
  return out;
}

Exemplar exemplar_of(const Trace& trace, RequestId id) {
  const std::vector<LoadPhase> phases = load_phases(trace);
  const TileSource source = [](const Trace& t, RequestId r, std::vector<Tile>& out) {
    tiles_of(t, r, out);
  };
  return exemplar(trace, source, id, phases[phase_at(phases, trace.request(id).t_arrive)].name);
}

}  // namespace srvprof
