// Stretches in which a thread works for the request.
#include <algorithm>

#include "trace/explain.h"
#include "trace/flags.h"
#include "trace/ledger.h"
#include "trace/stop.h"

namespace srvprof {
namespace {

// What follows a reply's arrival before the thread is woken is the softirq's last microseconds.
constexpr Duration kArrivalSlack = std::chrono::microseconds(50);

Who task(std::uint32_t tid) { return {.kind = Who::Kind::kTask, .estimated = false, .id = tid}; }

}  // namespace

void Explainer::own(ThreadId thread, Time to) {
  if (w_.at() >= to) return;
  const bool goroutines = trace_.model == RuntimeModel::kGoroutines;
  Timeline line(trace_.thread(thread), w_.at(), to);
  for (Piece piece; line.next(piece);) {
    // A goroutine that asked parks at once: what its thread does then is not its own.
    while (goroutines && w_.at() < piece.end) {
      const Due* due = due_at(w_.at());
      if (!due) break;
      downstream(std::min(due->end, piece.end), due->conn, thread);
    }
    if (w_.at() >= piece.end || w_.waits_for_cpu(piece.end, thread, piece)) continue;
    if (piece.run == Run::kOn) {
      w_.on_cpu(piece.end, thread);
    } else {
      own_blocked(thread, piece);
    }
  }
}

void Explainer::own_blocked(ThreadId thread, const Piece& piece) {
  const OffInterval& off = trace_.thread(thread).off[piece.off - 1];
  Tile tile;
  tile.thread = thread;
  tile.off = piece.off;
  switch (off.wait) {
    case Wait::kFutex: futex_wait(thread, piece); return;
    case Wait::kKernelLock: {
      const ThreadId waker = thread_of_waker(trace_, off);
      if (waker) tile.who = task(off.waker);
      tile.state = State::kBlockedLock;
      break;
    }
    case Wait::kDisk: tile.state = State::kBlockedDisk; break;
    case Wait::kFault: tile.state = State::kBlockedFault; break;
    case Wait::kPipe: tile.state = State::kBlockedPipe; break;
    case Wait::kSleep: tile.state = State::kBlockedSleep; break;
    case Wait::kSend: tile.state = State::kBackpressure; break;
    default: socket_wait(thread, piece); return;
  }
  w_.put(piece.end, tile);
}

// Blocked in a read, poll or connect: for a reply that is due, for the rest of the body, or who
// knows.
void Explainer::socket_wait(ThreadId thread, const Piece& piece) {
  const OffInterval& off = trace_.thread(thread).off[piece.off - 1];
  if (off.wait == Wait::kConnect) {
    const auto mine = exchanges_of(trace_, id_);
    const auto next = std::find_if(mine.begin(), mine.end(), [&](ExchangeId id) {
      return trace_.exchange(id).t_write >= piece.end;
    });
    downstream(piece.end, next == mine.end() ? ConnId{} : trace_.exchange(*next).conn, thread);
    return;
  }
  while (w_.at() < piece.end) {
    if (const Due* due = due_at(w_.at())) {
      const bool rest = piece.end - due->end <= kArrivalSlack;
      downstream(rest ? piece.end : std::min(due->end, piece.end), due->conn, thread);
      continue;
    }
    const Time to = std::min(piece.end, next_due_after(w_.at()));
    const bool body_due = r_.t_read_last > w_.at() && r_.t_read_last > r_.t_read;
    const Who own_conn{.kind = Who::Kind::kConn, .estimated = false, .id = r_.conn.value};
    w_.unexplained(to, thread, body_due ? own_conn : Who{});
  }
}

// Whether `thread` woke `worker` while it had this request in hand and the wait `off` was to come:
// then it waits for what it gave that worker to do.
bool Explainer::handed_over(ThreadId thread, ThreadId worker, const OffInterval& off) const {
  const Thread& w = trace_.thread(worker);
  const std::uint32_t tid = trace_.thread(thread).tid;
  if (known(w.t_born) && w.parent == tid && w.t_born >= r_.t_read) return true;
  const auto it = std::upper_bound(w.off.begin(), w.off.end(), off.t_wake,
                                   [](Time t, const OffInterval& o) { return t < o.t_out; });
  constexpr int kLookBack = 16;  // a worker blocks a few times within one job at most
  int looked = 0;
  for (auto o = it; o != w.off.begin() && looked < kLookBack; ++looked) {
    --o;
    if (o->t_wake < r_.t_read) return false;
    if (o->waker == tid && o->wait == Wait::kFutex) return true;
  }
  return false;
}

void Explainer::futex_wait(ThreadId thread, const Piece& piece) {
  const OffInterval& off = trace_.thread(thread).off[piece.off - 1];
  const ThreadId waker = thread_of_waker(trace_, off);
  const bool ours = waker && trace_.thread(waker).pid == trace_.thread(thread).pid;
  Tile tile;
  tile.thread = thread;
  tile.off = piece.off;
  tile.state = State::kBlockedLock;
  if (ours) tile.who = task(off.waker);
  if (!ours || waker == thread || !handed_over(thread, waker, off)) {
    w_.put(piece.end, tile);
    return;
  }
  tile.state = State::kPool;
  Timeline line(trace_.thread(waker), w_.at(), piece.end);
  for (Piece of_worker; line.next(of_worker);) {
    const Thread& w = trace_.thread(waker);
    tile.worker_state = worker_state_of(w, of_worker);
    w_.put(of_worker.end, tile);
  }
}

}  // namespace srvprof
