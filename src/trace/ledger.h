// The closed ledger of a request: tiles that add up exactly to its latency.
#pragma once

#include <array>
#include <vector>

#include "trace/model.h"

namespace srvprof {

// Sums of tiles, by life phase and state.
struct Ledger {
  std::array<std::array<Duration, kStates>, kLifePhases> cell{};
  // Part of the cells whose owner is not named (behind or pool without a who or of a request that
  // is not modelled, split unknown, and kUnexplained itself): what every quality figure counts as
  // unexplained.
  Duration unnamed{};
  // Parts of the cells during which garbage was collected, by GcShare without kNone.
  std::array<Duration, kGcShares> gc{};

  void add(const Tile& tile);
  Duration total() const;
  Duration of(State state) const;
  Duration of(LifePhase phase) const;
  Duration gc_total() const;
};

// Writes the tiles of `id` to `out` (cleared first). They tile [t_arrive, t_done) exactly, each has
// a positive length, and neighbours with equal phase, state, worker_state, who and echo_of are
// merged; then they are cut where collections begin and end. The rules are explain.h's and spans.h's. O(log n + pieces of timelines that overlap the request).
void tiles_of(const Trace& trace, RequestId id, std::vector<Tile>& out);

// The request that `thread` was working for at `t` (none if unknown or if it was between requests).
// A thread that was woken works for its next event's request from the wake-up on.
RequestId owner_at(const Thread& thread, Time t);

// The exchanges written on behalf of a request, by time; of request 0 those of no known request.
std::vector<ExchangeId> exchanges_of(const Trace& trace, RequestId id);

// Totals of a thread over [from, to): on CPU, runnable (queued), throttled, blocked, and what the
// hypervisor took while it was on CPU. They add up to to - from if the thread's timeline is known
// there. The kernel's own sums (schedstat) count stolen time neither as CPU (update_rq_clock_task).
struct ThreadTotals {
  Duration cpu{}, runq{}, throttled{}, blocked{}, steal{};
};
ThreadTotals totals_of(const Thread& thread, Time from, Time to);

}  // namespace srvprof
