// What a request's time went into: the rules of the ledger. Internal to src/trace; tiles_of() is
// its one user. Three kinds of stretches:
//   own     a thread works for the request: what it does is what happens to the request.
//   ready   the request's bytes (or a reply it waits for) lie unread: what keeps the thread that
//   will
//           read them.
//   middle  it was read and is not answered, and no thread works for it: it waits for a reply, a
//           worker of the pool, or for a thread that works for others. While a reply is due that is
//           the critical path, whatever the thread does meanwhile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "trace/tile_writer.h"

namespace srvprof {

class Explainer {
 public:
  Explainer(const Trace& trace, RequestId id, std::vector<Tile>& out);
  void run();

 private:
  // A socket event of this request on a thread.
  struct Own {
    Time t;
    ThreadId thread;
    ExchangeId read_of;   // it read the reply of this exchange
    ExchangeId write_of;  // it wrote this exchange
  };
  // A reply is due on `conn`.
  struct Due {
    Time begin, end;
    ConnId conn;
  };
  // A gap between two events of the request.
  struct Gap {
    Own from, to;
    Time from_end;         // until then `from.thread` works for the request
    Time to_begin;         // since then `to.thread` does
    bool foreign = false;  // the thread had events of others in between
    ThreadId pool_hint;    // the worker that woke the thread for `to`
    bool pool = true;      // it may have waited for the pool
    // Since then `to.thread` works for the request before on this connection, then for this one.
    std::optional<Time> after_previous;
  };

  void find_exchanges();
  void find_own_events();
  void service_and_write();
  Gap gap_of(const Own& from, const Own& to) const;
  // The thread was woken at `t_wake` for the end of the gap: whoever woke it ended the wait.
  void set_pool(const Thread& thread, Time t_wake, Gap& gap) const;
  void explain_gap(const Gap& gap);

  void own(ThreadId thread, Time to);
  void own_blocked(ThreadId thread, const Piece& piece);
  void socket_wait(ThreadId thread, const Piece& piece);
  void futex_wait(ThreadId thread, const Piece& piece);
  bool handed_over(ThreadId thread, ThreadId worker, const OffInterval& off) const;

  void ready(ThreadId thread, Time to);
  void idle_ready(ThreadId thread, const Piece& piece);
  void follow_waker(ThreadId thread, const Piece& piece, Time to, int depth);
  void kept_by(ThreadId other, ThreadId thread, Time to, int depth);
  void other_threads(ThreadId except, ThreadId thread, Time to);

  void middle(const Gap& gap, Time to);
  void wait(const Gap& gap, ThreadId thread, Time to);
  void split(const Gap& gap, Time to);
  void handover(ThreadId thread, Time to);
  void by_owner(ThreadId thread, const Piece& piece, Time to, bool estimated = false);

  const Due* due_at(Time t) const;
  Time next_due_after(Time t) const;
  void downstream(Time to, ConnId conn, ThreadId thread, bool estimated = false);
  const Due* pooled_connection(const Gap& gap);

  const Trace& trace_;
  const RequestId id_;
  const Request& r_;
  TileWriter w_;
  std::vector<Own> events_;
  std::vector<Due> due_;
  Due pooled_;
};

// What the workers of a pool do at a moment.
struct PoolActivity {
  ThreadId worker;  // 0 = none is active until `until`
  State state{};    // of the worker, or of the lane that works for it
  Time until;
  bool estimated = false;
};
// `hint` is preferred if it is active.
PoolActivity pool_at(const Trace& trace, std::uint32_t pid, ThreadId hint, Time t, Time to);

// The thread of the target that woke it; 0 if it was no thread of the target.
ThreadId thread_of_waker(const Trace& trace, const OffInterval& off);

// Whether the thread is a worker of the pool of `pid`, or a lane of one.
bool is_pool_worker(const Trace& trace, std::uint32_t pid, ThreadId thread);

}  // namespace srvprof
