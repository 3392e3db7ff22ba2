#include "trace/timeline.h"

#include <algorithm>

namespace srvprof {
namespace {

std::size_t first_ending_after(const std::vector<OffInterval>& off, Time t) {
  const auto it = std::upper_bound(off.begin(), off.end(), t,
                                   [](Time value, const OffInterval& o) { return value < o.t_in; });
  return static_cast<std::size_t>(it - off.begin());
}

}  // namespace

Timeline::Timeline(const Thread& thread, Time from, Time to)
    : thread_(thread), at_(from), to_(to), i_(first_ending_after(thread.off, from)) {}

bool Timeline::next(Piece& piece) {
  if (at_ >= to_) return false;
  piece = {.begin = at_, .end = to_, .run = Run::kOn, .off = 0};
  const bool dead = known(thread_.t_exit) && at_ >= thread_.t_exit;
  if (at_ < thread_.t_known || dead) {
    piece.run = Run::kUnknown;
    if (!dead) piece.end = std::min(to_, thread_.t_known);
    at_ = piece.end;
    return true;
  }
  while (i_ < thread_.off.size() && thread_.off[i_].t_in <= at_) ++i_;
  if (i_ < thread_.off.size()) {
    const OffInterval& off = thread_.off[i_];
    piece.off = static_cast<std::uint32_t>(i_ + 1);
    Time end = off.t_in;
    piece.run = Run::kRunnable;
    if (at_ < off.t_out) {
      piece.run = Run::kOn;
      end = off.t_out;
    } else if (at_ < off.t_wake) {
      piece.run = Run::kBlocked;
      end = off.t_wake;
    } else if (at_ < off.t_throttle_end) {
      piece.run = Run::kThrottled;
      end = off.t_throttle_end;
    }
    piece.end = std::min(to_, end);
  }
  if (known(thread_.t_exit)) piece.end = std::min(piece.end, std::max(thread_.t_exit, at_));
  at_ = piece.end;
  return true;
}

ThreadId thread_at(const Trace& trace, std::uint32_t tid, Time t) {
  const auto it = trace.thread_by_tid.find(tid);
  if (tid == 0 || it == trace.thread_by_tid.end()) return {};
  ThreadId id = it->second;
  while (trace.thread(id).earlier && trace.thread(id).t_born > t) id = trace.thread(id).earlier;
  return id;
}

Piece piece_at(const Thread& thread, Time t, Time to) {
  Timeline line(thread, t, to);
  Piece piece;
  line.next(piece);
  return piece;
}

std::size_t owner_index(const Thread& thread, Time t) {
  const auto it =
      std::upper_bound(thread.owners.begin(), thread.owners.end(), t,
                       [](Time value, const OwnerChange& change) { return value < change.t; });
  if (it == thread.owners.begin()) return thread.owners.size();
  return static_cast<std::size_t>(it - thread.owners.begin()) - 1;
}

Occupants::Occupants(const Trace& trace, ThreadId thread, const OffInterval& off, Time from,
                     Time to)
    : trace_(trace), off_(off), at_(from), to_(to), tid_(trace.thread(thread).tid) {
  if (thread.value <= trace.migrations.size()) moves_ = &trace.migrations[thread.value - 1];
  if (moves_) {
    // Moves while it was queued; what happened before it was woken does not concern the wait.
    const auto it = std::upper_bound(moves_->begin(), moves_->end(), from,
                                     [](Time t, const rows::Migrate& m) { return t < m.t; });
    move_ = static_cast<std::size_t>(it - moves_->begin());
  }
  enter_cpu();
}

void Occupants::enter_cpu() {
  const bool moved = moves_ && move_ < moves_->size() && (*moves_)[move_].t < off_.t_in;
  last_cpu_ = !moved;
  cpu_ = moved ? (*moves_)[move_].from_cpu : off_.cpu;
  cpu_until_ = moved ? (*moves_)[move_].t : off_.t_in;
  slice_ = 0;
  if (cpu_ >= trace_.slices.size()) return;
  const std::vector<CpuSlice>& slices = trace_.slices[cpu_];
  const auto it = std::upper_bound(slices.begin(), slices.end(), at_,
                                   [](Time t, const CpuSlice& s) { return t < s.t_end; });
  slice_ = static_cast<std::size_t>(it - slices.begin());
}

bool Occupants::next(Occupancy& out) {
  while (at_ < to_ && at_ >= cpu_until_) {
    ++move_;
    enter_cpu();
  }
  if (at_ >= to_) return false;
  out = {.begin = at_, .end = std::min(to_, cpu_until_), .who = {}};
  const bool has_slice = cpu_ < trace_.slices.size() && slice_ < trace_.slices[cpu_].size();
  const CpuSlice slice = has_slice ? trace_.slices[cpu_][slice_] : CpuSlice{};
  if (has_slice && slice.t_end < cpu_until_) {
    out.end = std::min(to_, slice.t_end);
    out.who.id = slice.tid;
    out.who.kind = slice.tid == 0 ? Who::Kind::kIdle : Who::Kind::kTask;
    ++slice_;
  } else if (last_cpu_) {
    out.who.id = off_.occupant;
    out.who.kind = off_.occupant == 0 ? Who::Kind::kIdle : Who::Kind::kTask;
  } else if (has_slice) {
    // The switch after the move told who held the CPU then.
    out.who.id = slice.tid;
    out.who.kind = slice.tid == 0 ? Who::Kind::kIdle : Who::Kind::kTask;
  }
  // Its own slice on the CPU it is moved back to is no occupant.
  if (out.who.kind == Who::Kind::kTask && out.who.id == tid_) out.who = {};
  at_ = out.end;
  return true;
}

}  // namespace srvprof
