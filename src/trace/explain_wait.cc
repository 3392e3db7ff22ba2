// Stretches in which no thread works for the request: nobody has read it yet (ready), or it waits
// for a reply, a worker, or its turn (middle).
#include <algorithm>

#include "trace/explain.h"
#include "trace/flags.h"
#include "trace/stop.h"

namespace srvprof {
namespace {

constexpr int kWakerDepth = 3;
constexpr std::size_t kThreadsMax = 64;  // looked at to see who kept the process busy

bool serves(const Thread& thread) {
  return thread.role == ThreadRole::kLoop || thread.role == ThreadRole::kServing;
}

}  // namespace

// Splits a piece by the owners of the thread: own code is cpu, all else is behind its owner.
void Explainer::by_owner(ThreadId thread, const Piece& piece, Time to, bool estimated) {
  const Thread& t = trace_.thread(thread);
  std::size_t i = owner_index(t, w_.at());
  while (w_.at() < to) {
    const std::size_t next = i < t.owners.size() ? i + 1 : 0;
    const Time end = next < t.owners.size() ? std::min(to, t.owners[next].t) : to;
    const OwnerChange owner = i < t.owners.size() ? t.owners[i] : OwnerChange{};
    if (owner.request != id_) {
      w_.behind(end, thread, owner, piece, estimated || i >= t.owners.size());
    } else if (piece.run == Run::kOn) {
      w_.on_cpu(end, thread);
    } else {
      own_blocked(thread, {.begin = w_.at(), .end = end, .run = piece.run, .off = piece.off});
    }
    i = next;
  }
}

void Explainer::ready(ThreadId thread, Time to) {
  if (w_.at() >= to) return;
  if (!thread) {
    w_.unexplained(to, {});
    return;
  }
  const Thread& t = trace_.thread(thread);
  // A thread that was cloned for it: until then it is in the hands of the one that clones.
  const ThreadId parent = thread_at(trace_, t.parent, t.t_born);
  if (w_.at() < t.t_born && parent && parent != thread) {
    kept_by(parent, thread, std::min(to, t.t_born), 0);
  }
  Timeline line(t, w_.at(), to);
  for (Piece piece; line.next(piece);) {
    if (w_.waits_for_cpu(piece.end, thread, piece)) continue;
    const bool idle = piece.run == Run::kBlocked && t.off[piece.off - 1].idle;
    if (idle) {
      idle_ready(thread, piece);
    } else {
      by_owner(thread, piece, piece.end);
    }
  }
}

// The thread that will read it idles. If the request before it on the connection is still in work,
// it waits for that one; else whoever wakes the thread kept it waiting.
void Explainer::idle_ready(ThreadId thread, const Piece& piece) {
  if (r_.previous && trace_.request(r_.previous).t_done > w_.at()) {
    OwnerChange owner;
    owner.kind = OwnerChange::Kind::kRequest;
    owner.request = r_.previous;
    w_.behind(std::min(piece.end, trace_.request(r_.previous).t_done), thread, owner,
              {.begin = piece.begin, .end = piece.end, .run = Run::kBlocked, .off = 0});
  }
  follow_waker(thread, piece, piece.end, 0);
}

// Explains [at, to), in which `thread` is blocked, by the thread that will wake it.
void Explainer::follow_waker(ThreadId thread, const Piece& piece, Time to, int depth) {
  if (w_.at() >= to) return;
  const OffInterval& off = trace_.thread(thread).off[piece.off - 1];
  const ThreadId waker = thread_of_waker(trace_, off);
  const bool loop = trace_.model == RuntimeModel::kEventLoop;
  // A loop is woken by its pool for other reasons; by another process (a cluster's primary) for
  // this.
  const bool usable = waker && waker != thread &&
                      (!loop || serves(trace_.thread(waker)) ||
                       trace_.thread(waker).pid != trace_.thread(thread).pid);
  if (usable && depth < kWakerDepth) {
    kept_by(waker, thread, to, depth);
  } else if (loop) {
    w_.unexplained(to, thread);
  } else {
    other_threads(thread, thread, to);
  }
}

// Explains [at, to) by what `other`, which `thread` waits for, does.
void Explainer::kept_by(ThreadId other, ThreadId thread, Time to, int depth) {
  const Thread& t = trace_.thread(other);
  Timeline line(t, w_.at(), to);
  for (Piece piece; line.next(piece);) {
    if (w_.waits_for_cpu(piece.end, other, piece)) continue;
    const bool idle = piece.run == Run::kBlocked && t.off[piece.off - 1].idle;
    if (idle) {
      follow_waker(other, piece, piece.end, depth + 1);
    } else if (piece.run == Run::kOn || !t.owners.empty()) {
      by_owner(other, piece, piece.end, true);
    } else {
      other_threads(other, thread, piece.end);
    }
  }
}

// Nobody is known to have kept it waiting: see what the other threads of the process do. One that
// is queued first, then one that runs for somebody, then one that runs at all.
void Explainer::other_threads(ThreadId except, ThreadId thread, Time to) {
  const auto of_pid = trace_.threads_of_pid.find(trace_.thread(thread).pid);
  while (w_.at() < to) {
    Time until = to;
    ThreadId best;
    Piece best_piece;
    int best_rank = 0;
    std::size_t looked = 0;
    if (of_pid != trace_.threads_of_pid.end()) {
      for (const ThreadId id : of_pid->second) {
        if (id == except || ++looked > kThreadsMax) continue;
        const Thread& t = trace_.thread(id);
        const Piece piece = piece_at(t, w_.at(), to);
        until = std::min(until, piece.end);
        const std::size_t owner = owner_index(t, w_.at());
        const bool owned = owner < t.owners.size() && t.owners[owner].request;
        int rank = piece.run == Run::kRunnable ? 3 : piece.run == Run::kOn ? (owned ? 2 : 1) : 0;
        if (t.owners.empty() && rank == 3) rank = 0;  // a helper that waits for a CPU delays nobody
        if (rank <= best_rank) continue;
        best = id;
        best_piece = piece;
        best_rank = rank;
      }
    }
    if (best_rank == 0) {
      w_.unexplained(until, thread);
    } else if (!w_.waits_for_cpu(best_piece.end, best, best_piece, true)) {
      by_owner(best, best_piece, best_piece.end, true);
    }
  }
}

// A goroutine stopped and went on later, with foreign code in between or on another thread. Whether
// it waited for something or was kept from running (by the scheduler, the collector) was not
// recorded. If requests of its route do not stop as a rule, it was kept, by what the threads of the
// process did.
void Explainer::split(const Gap& gap, Time to) {
  const ThreadId thread = gap.to.thread;
  const std::uint32_t route = r_.route.value;
  if (gap.after_previous && w_.at() < gap.to_begin) {
    // The thread that goes on with it had answered the request before on this connection and done
    // nothing else since: the goroutine was on it all the time.
    w_.split_unknown(std::min(to, *gap.after_previous), thread);
    ready(thread, to);
  } else if (route < trace_.route_runs_through.size() && trace_.route_runs_through[route]) {
    other_threads({}, thread, to);
  } else if (gap.foreign || gap.from.thread != gap.to.thread) {
    w_.split_unknown(to, thread);
  } else {
    wait(gap, thread, to);
  }
}

// From the request's last own event until a thread works for it again.
void Explainer::middle(const Gap& gap, Time to) {
  const Exchange* read = gap.to.read_of ? &trace_.exchange(gap.to.read_of) : nullptr;
  const Due* pooled = pooled_connection(gap);
  while (w_.at() < to) {
    if (const Due* due = due_at(w_.at())) {
      downstream(std::min(due->end, to), due->conn, gap.to.thread);
      continue;
    }
    const Time bound = std::min(to, next_due_after(w_.at()));
    if (read && w_.at() >= read->t_arrive) {
      ready(gap.to.thread, bound);
    } else if (pooled && w_.at() < pooled->end) {
      downstream(std::min(pooled->end, bound), pooled->conn, gap.to.thread, true);
    } else if (pooled) {
      ready(gap.to.thread, bound);
    } else if (trace_.model == RuntimeModel::kGoroutines) {
      split(gap, bound);
    } else if (gap.from.thread == gap.to.thread) {
      wait(gap, gap.to.thread, bound);
    } else {
      handover(gap.to.thread, bound);
    }
  }
}

// The request was read by one thread and answered by another, which is not yet at it: a pool of
// threads. What the other one does meanwhile is known.
void Explainer::handover(ThreadId thread, Time to) {
  const Thread& t = trace_.thread(thread);
  Timeline line(t, w_.at(), to);
  for (Piece piece; line.next(piece);) {
    if (piece.run == Run::kUnknown || (piece.run == Run::kBlocked && t.off[piece.off - 1].idle)) {
      w_.split_unknown(piece.end, thread);
      continue;
    }
    Tile tile;
    tile.state = State::kPool;
    tile.thread = thread;
    tile.off = piece.run == Run::kOn ? 0 : piece.off;
    tile.worker_state = worker_state_of(t, piece);
    tile.who = {.kind = Who::Kind::kTask, .estimated = false, .id = t.tid};
    w_.put(piece.end, tile);
  }
}

// Its thread does something else, or idles, and no reply is due.
void Explainer::wait(const Gap& gap, ThreadId thread, Time to) {
  const Thread& t = trace_.thread(thread);
  const bool loop = trace_.model == RuntimeModel::kEventLoop;
  const bool send_blocked = (r_.flags & kReqSendBlocked) != 0 && w_.at() >= r_.t_write;
  Timeline line(t, w_.at(), to);
  for (Piece piece; line.next(piece);) {
    const bool blocked = piece.run == Run::kBlocked;
    const OffInterval* off = blocked ? &t.off[piece.off - 1] : nullptr;
    const bool held = piece.run == Run::kThrottled || (off && off->wait == Wait::kStopped);
    if (held || piece.run == Run::kUnknown) {
      w_.waits_for_cpu(piece.end, thread, piece);
      continue;
    }
    if (send_blocked) {
      Tile tile;
      tile.state = State::kBackpressure;
      tile.thread = thread;
      w_.put(piece.end, tile);
      continue;
    }
    while (w_.at() < piece.end) {
      Time end = piece.end;
      if (loop && gap.pool) {
        const PoolActivity pool = pool_at(trace_, t.pid, gap.pool_hint, w_.at(), piece.end);
        end = pool.until;
        if (pool.worker) {
          Tile tile;
          tile.state = State::kPool;
          tile.thread = pool.worker;
          tile.worker_state = pool.state;
          tile.who = {.kind = Who::Kind::kTask,
                      .estimated = pool.estimated,
                      .id = trace_.thread(pool.worker).tid};
          w_.put(end, tile);
          continue;
        }
      }
      if (w_.waits_for_cpu(end, thread, piece)) continue;
      if (off && off->idle) {
        const bool body_due = r_.t_read_last > w_.at() && r_.t_read_last > r_.t_read;
        const Who own_conn{.kind = Who::Kind::kConn, .estimated = false, .id = r_.conn.value};
        w_.unexplained(end, thread, body_due ? own_conn : Who{});
      } else {
        by_owner(thread, piece, end);
      }
    }
  }
}

}  // namespace srvprof
