// Writes the tiles of one request one after the other: what is put always begins where the last one
// ended, so the sum is exact by construction. Internal to src/trace.
#pragma once

#include <vector>

#include "trace/timeline.h"

namespace srvprof {

class TileWriter {
 public:
  TileWriter(const Trace& trace, const Request& request, std::vector<Tile>& out)
      : trace_(trace), request_(request), out_(out), at_(request.t_arrive) {
    out_.clear();
  }

  Time at() const { return at_; }
  void set_phase(LifePhase phase) { phase_ = phase; }

  // [at, end) as `tile` says; its begin, length and phase are set here. Nothing if end <= at.
  void put(Time end, Tile tile);
  void unexplained(Time end, ThreadId thread, Who who = {});
  void split_unknown(Time end, ThreadId thread);

  // On CPU, in the request's own code or (behind) in that of an owner; interrupts on top are cut
  // out, and so is time that the hypervisor took if it was more than 1 ms of the stint.
  void on_cpu(Time end, ThreadId thread);
  void behind(Time end, ThreadId thread, const OwnerChange& owner, const Piece& piece,
              bool estimated = false);

  // The parts of a piece that are the same whoever owns the thread: runnable, throttled, stopped.
  // False: it is none of these, nothing was put. `estimated`: that it was this thread is.
  bool waits_for_cpu(Time end, ThreadId thread, const Piece& piece, bool estimated = false);

  // At most `steal` of the request's own CPU tiles in the service phase becomes steal, the last
  // first: the sum is known, the place is not.
  void carve_steal(Duration steal);

 private:
  void with_irqs(Time end, const Tile& tile, const Thread& thread);
  void runnable(Time end, ThreadId thread, const Piece& piece, bool estimated);
  std::uint32_t echo_at(const Thread& thread) const;
  Time end_of_collection(const Thread& thread, Time end) const;

  const Trace& trace_;
  const Request& request_;
  std::vector<Tile>& out_;
  Time at_;
  LifePhase phase_ = LifePhase::kReady;
};

}  // namespace srvprof
