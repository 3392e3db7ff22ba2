#include "trace/ledger.h"

#include <algorithm>

#include "trace/timeline.h"

namespace srvprof {

void Ledger::add(const Tile& tile) {
  cell[static_cast<std::size_t>(tile.phase)][static_cast<std::size_t>(tile.state)] += tile.length;
  const bool needs_owner = tile.state == State::kBehind || tile.state == State::kPool;
  const bool no_owner = tile.who.kind == Who::Kind::kNone || tile.who.kind == Who::Kind::kUnsampled;
  if (tile.gc != GcShare::kNone) {  // the collector is the owner
    gc[static_cast<std::size_t>(tile.gc) - 1] += tile.length;
    return;
  }
  if (tile.state == State::kUnexplained || (needs_owner && no_owner)) unnamed += tile.length;
}

Duration Ledger::total() const {
  Duration sum{};
  for (const auto& phase : cell) {
    for (const Duration d : phase) sum += d;
  }
  return sum;
}

Duration Ledger::of(State state) const {
  Duration sum{};
  for (const auto& phase : cell) sum += phase[static_cast<std::size_t>(state)];
  return sum;
}

Duration Ledger::of(LifePhase phase) const {
  Duration sum{};
  for (const Duration d : cell[static_cast<std::size_t>(phase)]) sum += d;
  return sum;
}

Duration Ledger::gc_total() const {
  Duration sum{};
  for (const Duration d : gc) sum += d;
  return sum;
}

RequestId owner_at(const Thread& thread, Time t) {
  const std::size_t i = owner_index(thread, t);
  return i < thread.owners.size() ? thread.owners[i].request : RequestId{};
}

ThreadTotals totals_of(const Thread& thread, Time from, Time to) {
  ThreadTotals totals;
  Timeline line(thread, from, to);
  for (Piece piece; line.next(piece);) {
    const Duration length = piece.end - piece.begin;
    switch (piece.run) {
      case Run::kOn: totals.cpu += length; break;
      case Run::kRunnable: totals.runq += length; break;
      case Run::kThrottled: totals.throttled += length; break;
      case Run::kBlocked: totals.blocked += length; break;
      case Run::kUnknown: break;
    }
  }
  // Stolen time is known by stint on CPU, at its end.
  auto off = std::upper_bound(thread.off.begin(), thread.off.end(), from,
                              [](Time t, const OffInterval& o) { return t < o.t_out; });
  for (; off != thread.off.end() && off->t_out <= to; ++off)
    totals.steal += Duration(off->steal_ns);
  totals.steal = std::min(totals.steal, totals.cpu);
  totals.cpu -= totals.steal;
  return totals;
}

}  // namespace srvprof
