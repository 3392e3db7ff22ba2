// Walking a thread's time. Internal to src/trace.
#pragma once

#include <cstdint>

#include "trace/model.h"

namespace srvprof {

enum class Run : std::uint8_t { kUnknown, kOn, kBlocked, kThrottled, kRunnable };

// A time in which the thread's run state does not change.
struct Piece {
  Time begin, end;
  Run run = Run::kUnknown;
  // kOn: of the interval that ends the stint, 0 = none; else of the interval itself. 1-based.
  std::uint32_t off = 0;
};

// The pieces of [from, to), in order, without gap.
class Timeline {
 public:
  Timeline(const Thread& thread, Time from, Time to);
  bool next(Piece& piece);

 private:
  const Thread& thread_;
  Time at_, to_;
  std::size_t i_ = 0;  // first interval that ends after at_
};

// The thread that had this tid at `t`; 0 if there was none.
ThreadId thread_at(const Trace& trace, std::uint32_t tid, Time t);

// The piece of the thread that holds `t`, cut to end at `to` at the latest.
Piece piece_at(const Thread& thread, Time t, Time to);

// Index of the last owner change at or before `t`; owners.size() if there is none.
std::size_t owner_index(const Thread& thread, Time t);

// Who held the CPU while a thread was queued.
struct Occupancy {
  Time begin, end;
  Who who;
};

// Splits [from, to) of the runnable part of `off` by occupant, following migrations.
class Occupants {
 public:
  Occupants(const Trace& trace, ThreadId thread, const OffInterval& off, Time from, Time to);
  bool next(Occupancy& out);

 private:
  void enter_cpu();

  const Trace& trace_;
  const std::vector<rows::Migrate>* moves_ = nullptr;
  const OffInterval& off_;
  Time at_, to_, cpu_until_;
  std::uint32_t tid_ = 0, cpu_ = 0;
  std::size_t move_ = 0, slice_ = 0;
  bool last_cpu_ = false;
};

}  // namespace srvprof
