#include "trace/tile_writer.h"

#include <algorithm>

#include "trace/stop.h"

namespace srvprof {
namespace {

constexpr Duration kStealMin = std::chrono::milliseconds(1);

bool same_who(const Who& a, const Who& b) {
  return a.kind == b.kind && a.id == b.id && a.estimated == b.estimated;
}

bool mergeable(const Tile& a, const Tile& b) {
  return a.phase == b.phase && a.state == b.state && a.split_unknown == b.split_unknown &&
         a.worker_state == b.worker_state && a.echo_of == b.echo_of && same_who(a.who, b.who);
}

Who who_of(const OwnerChange& owner, bool estimated) {
  Who who;
  who.estimated = estimated || owner.estimated;
  switch (owner.kind) {
    case OwnerChange::Kind::kRequest:
      who.kind = Who::Kind::kRequest;
      who.id = owner.request.value;
      break;
    case OwnerChange::Kind::kConn:
      who.kind = owner.conn ? Who::Kind::kConn : Who::Kind::kNone;
      who.id = owner.conn.value;
      break;
    case OwnerChange::Kind::kUnsampled: who.kind = Who::Kind::kUnsampled; break;
    case OwnerChange::Kind::kTimer:
    case OwnerChange::Kind::kIdle: who.kind = Who::Kind::kTimer; break;
  }
  return who;
}

}  // namespace

void TileWriter::put(Time end, Tile tile) {
  if (end <= at_) return;
  tile.begin = at_;
  tile.length = end - at_;
  tile.phase = phase_;
  at_ = end;
  if (!out_.empty() && mergeable(out_.back(), tile)) {
    out_.back().length += tile.length;
    return;
  }
  out_.push_back(tile);
}

void TileWriter::unexplained(Time end, ThreadId thread, Who who) {
  Tile tile;
  tile.state = State::kUnexplained;
  tile.thread = thread;
  tile.who = who;
  put(end, tile);
}

void TileWriter::split_unknown(Time end, ThreadId thread) {
  Tile tile;
  tile.state = State::kUnexplained;
  tile.split_unknown = true;
  tile.thread = thread;
  put(end, tile);
}

void TileWriter::with_irqs(Time end, const Tile& tile, const Thread& thread) {
  if (!thread.irqs.empty()) {
    auto it = std::upper_bound(thread.irqs.begin(), thread.irqs.end(), at_,
                               [](Time t, const IrqSpan& s) { return t < s.end; });
    for (; it != thread.irqs.end() && it->begin < end; ++it) {
      put(it->begin, tile);
      Tile irq;
      irq.state = State::kIrq;
      irq.thread = tile.thread;
      put(std::min(end, it->end), irq);
    }
  }
  put(end, tile);
}

void TileWriter::on_cpu(Time end, ThreadId thread) {
  Tile tile;
  tile.state = State::kCpu;
  tile.thread = thread;
  with_irqs(end, tile, trace_.thread(thread));
}

// The stall in whose echo the thread is now, if it delayed this request.
std::uint32_t TileWriter::echo_at(const Thread& thread) const {
  if (thread.stalls.empty()) return 0;
  const auto it = std::upper_bound(thread.stalls.begin(), thread.stalls.end(), at_,
                                   [](Time t, const Stall& s) { return t < s.end; });
  if (it == thread.stalls.begin()) return 0;
  const Stall& stall = *(it - 1);
  if (at_ >= stall.echo_end || request_.t_arrive < stall.begin) return 0;
  return static_cast<std::uint32_t>(it - thread.stalls.begin());
}

// The first end of a stall between now and `end` that was a collection; `end` if there is none.
Time TileWriter::end_of_collection(const Thread& thread, Time end) const {
  auto it = std::upper_bound(thread.stalls.begin(), thread.stalls.end(), at_,
                             [](Time t, const Stall& s) { return t < s.end; });
  for (; it != thread.stalls.end() && it->end < end; ++it) {
    if (it->span != 0) return it->end;
  }
  return end;
}

void TileWriter::behind(Time end, ThreadId thread, const OwnerChange& owner, const Piece& piece,
                        bool estimated) {
  const Thread& t = trace_.thread(thread);
  // The echo of a collection begins in the middle of a stint on CPU.
  if (const Time cut = end_of_collection(t, end); piece.run == Run::kOn && cut < end) {
    behind(cut, thread, owner, piece, estimated);
  }
  Tile tile;
  tile.state = State::kBehind;
  tile.thread = thread;
  tile.who = who_of(owner, estimated);
  tile.echo_of = echo_at(t);
  if (piece.run != Run::kOn) {
    tile.off = piece.off;
    if (piece.off != 0) tile.worker_state = worker_state_of(t, piece);
    put(end, tile);
    return;
  }
  if (tile.echo_of != 0) {
    const Time echo_end = t.stalls[tile.echo_of - 1].echo_end;
    if (echo_end < end) {
      with_irqs(echo_end, tile, t);
      tile.echo_of = 0;
    }
  }
  // Steal of a stint is told when it ends; it is placed there.
  const Duration steal = piece.off != 0 ? Duration(t.off[piece.off - 1].steal_ns) : Duration{};
  if (steal > kStealMin) {
    const Time from = std::max(at_, t.off[piece.off - 1].t_out - steal);
    if (from < end) {
      with_irqs(from, tile, t);
      Tile stolen;
      stolen.state = State::kSteal;
      stolen.thread = thread;
      put(end, stolen);
      return;
    }
  }
  with_irqs(end, tile, t);
}

void TileWriter::runnable(Time end, ThreadId thread, const Piece& piece, bool estimated) {
  const OffInterval& off = trace_.thread(thread).off[piece.off - 1];
  Tile tile;
  tile.state = runq_state(off);
  tile.thread = thread;
  tile.off = piece.off;
  Occupants occupants(trace_, thread, off, at_, end);
  for (Occupancy o; occupants.next(o);) {
    tile.who = o.who;
    tile.who.estimated = estimated;
    put(o.end, tile);
  }
}

bool TileWriter::waits_for_cpu(Time end, ThreadId thread, const Piece& piece, bool estimated) {
  const Thread& t = trace_.thread(thread);
  if (piece.run == Run::kUnknown) {
    unexplained(end, thread);
    return true;
  }
  if (piece.run == Run::kOn) return false;
  const OffInterval& off = t.off[piece.off - 1];
  if (piece.run == Run::kRunnable) {
    runnable(end, thread, piece, estimated);
    return true;
  }
  Tile tile;
  tile.thread = thread;
  tile.off = piece.off;
  if (piece.run == Run::kThrottled) {
    tile.state = State::kThrottled;
  } else if (off.wait == Wait::kStopped) {
    tile.state = State::kStopped;
    tile.who = who_stopped(trace_, t, off);
  } else {
    return false;
  }
  put(end, tile);
  return true;
}

void TileWriter::carve_steal(Duration steal) {
  for (std::size_t i = out_.size(); i-- > 0 && steal > Duration{};) {
    if (out_[i].state != State::kCpu || out_[i].phase != LifePhase::kService) continue;
    const Duration part = std::min(steal, out_[i].length);
    steal -= part;
    if (part == out_[i].length) {
      out_[i].state = State::kSteal;
      out_[i].who = {.kind = Who::Kind::kNone, .estimated = true, .id = 0};
      continue;
    }
    Tile stolen = out_[i];
    out_[i].length -= part;
    stolen.begin += out_[i].length;
    stolen.length = part;
    stolen.state = State::kSteal;
    stolen.who = {.kind = Who::Kind::kNone, .estimated = true, .id = 0};
    out_.insert(out_.begin() + static_cast<std::ptrdiff_t>(i) + 1, stolen);
  }
}

}  // namespace srvprof
