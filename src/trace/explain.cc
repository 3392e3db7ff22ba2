// The frame of the ledger: phases, the request's own events, and the gaps between them.
#include "trace/explain.h"

#include <algorithm>

#include "trace/events.h"
#include "trace/flags.h"
#include "trace/ledger.h"
#include "trace/spans.h"

namespace srvprof {

Explainer::Explainer(const Trace& trace, RequestId id, std::vector<Tile>& out)
    : trace_(trace), id_(id), r_(trace.request(id)), w_(trace, r_, out) {}

void Explainer::run() {
  find_exchanges();
  w_.set_phase(LifePhase::kAccept);
  ready(r_.reader, r_.t_accepted);
  w_.set_phase(LifePhase::kReady);
  ready(r_.reader, r_.t_read);
  w_.set_phase(LifePhase::kService);
  // A pipelined request that came with the read of the one before it waits for that one's end.
  ready(r_.reader, start_of(trace_, r_));
  find_own_events();
  service_and_write();
  if (r_.reader == r_.writer) w_.carve_steal(Duration(r_.steal_ns));
}

void Explainer::find_exchanges() {
  const auto& start = trace_.exchanges_of_request_start;
  if (id_.value + 1U >= start.size()) return;
  for (std::uint32_t i = start[id_.value]; i < start[id_.value + 1]; ++i) {
    const Exchange& x = trace_.exchange(trace_.exchanges_of_request_index[i]);
    due_.push_back({x.t_write, known(x.t_read) ? x.t_arrive : r_.t_done, x.conn});
    // Between the first and the last read of a long reply more of it is due.
    if (x.t_read_last > x.t_read) due_.push_back({x.t_read, x.t_read_last, x.conn});
  }
}

void Explainer::find_own_events() {
  const Time begin = w_.at();
  const auto add = [&](Time t, ThreadId thread, ExchangeId read_of, ExchangeId write_of) {
    if (thread && t >= begin && t < r_.t_done) events_.push_back({t, thread, read_of, write_of});
  };
  const bool goroutines = trace_.model == RuntimeModel::kGoroutines;
  if (r_.n_read != 0) add(begin, r_.reader, {}, {});
  if (!goroutines || r_.reader == r_.writer) add(r_.t_read_last, r_.reader, {}, {});
  if (r_.n_write != 0) add(r_.t_write, r_.writer, {}, {});
  if (!trace_.marks.empty()) {
    auto mark = std::lower_bound(trace_.marks.begin(), trace_.marks.end(), id_,
                                 [](const RequestMark& m, RequestId id) { return m.request < id; });
    for (; mark != trace_.marks.end() && mark->request == id_; ++mark) {
      add(mark->t, mark->thread, {}, {});
    }
  }
  for (const ExchangeId id : exchanges_of(trace_, id_)) {
    const Exchange& x = trace_.exchange(id);
    add(x.t_write, x.writer, {}, id);
    add(x.t_write_last, x.writer, {}, {});
    if (!known(x.t_read)) continue;
    add(x.t_read, x.reader, id, {});
    add(x.t_read_last, x.reader, {}, {});
  }
  std::stable_sort(events_.begin(), events_.end(),
                   [](const Own& a, const Own& b) { return a.t < b.t; });
}

void Explainer::service_and_write() {
  const ThreadId last = r_.n_write != 0 ? r_.writer : r_.reader;
  if (events_.empty()) events_.push_back({w_.at(), r_.reader, {}, {}});
  events_.push_back({r_.t_done, last, {}, {}});
  for (std::size_t i = 0; i + 1 < events_.size(); ++i) {
    if (events_[i + 1].t <= w_.at()) continue;
    w_.set_phase(events_[i].t < r_.t_write ? LifePhase::kService : LifePhase::kWrite);
    explain_gap(gap_of(events_[i], events_[i + 1]));
  }
}

Explainer::Gap Explainer::gap_of(const Own& from, const Own& to) const {
  Gap gap{.from = from,
          .to = to,
          .from_end = from.t,
          .to_begin = to.t,
          .foreign = false,
          .pool_hint = {},
          .pool = true,
          .after_previous = std::nullopt};
  if (!from.thread || !to.thread) return gap;
  const Thread& a = trace_.thread(from.thread);
  std::size_t i = owner_index(a, from.t);
  if (i < a.owners.size() && a.owners[i].request == id_) {
    while (i < a.owners.size() && a.owners[i].request == id_ && a.owners[i].t < to.t) ++i;
    gap.from_end = i < a.owners.size() ? std::min(to.t, a.owners[i].t) : to.t;
  }
  const Thread& b = trace_.thread(to.thread);
  std::size_t j = owner_index(b, to.t);
  if (j < b.owners.size() && b.owners[j].request == id_) {
    while (j > 0 && b.owners[j - 1].request == id_ && b.owners[j].t > from.t) --j;
    gap.to_begin = std::max(from.t, b.owners[j].t);
    if (j > 0 && r_.previous && b.owners[j - 1].request == r_.previous) {
      gap.after_previous = b.owners[j - 1].t;
    }
    // It was woken for this: whoever woke it ended the wait.
    if (b.owners[j].estimated && b.owners[j].t > from.t) set_pool(b, b.owners[j].t, gap);
  }
  for (; from.thread == to.thread && i < a.owners.size() && a.owners[i].t < gap.to_begin; ++i) {
    const OwnerChange::Kind kind = a.owners[i].kind;
    gap.foreign = gap.foreign || (kind != OwnerChange::Kind::kIdle && a.owners[i].request != id_);
    if (gap.foreign) break;
  }
  return gap;
}

void Explainer::set_pool(const Thread& thread, Time t_wake, Gap& gap) const {
  const Piece asleep = piece_at(thread, t_wake - Duration(1), t_wake);
  if (asleep.run != Run::kBlocked) return;
  ThreadId waker = thread_of_waker(trace_, thread.off[asleep.off - 1]);
  gap.pool = is_pool_worker(trace_, thread.pid, waker);
  if (!gap.pool) return;
  // A lane does the work of the worker that cloned it.
  const Thread& lane = trace_.thread(waker);
  const auto parent = trace_.thread_by_tid.find(lane.parent);
  const bool has_parent = known(lane.t_born) && parent != trace_.thread_by_tid.end();
  if (has_parent && is_pool_worker(trace_, thread.pid, parent->second)) waker = parent->second;
  gap.pool_hint = waker;
}

void Explainer::explain_gap(const Gap& gap) {
  if (!gap.from.thread || !gap.to.thread) {
    w_.unexplained(gap.to.t, {});
    return;
  }
  // Handed over: from the wake-up of the next thread on, its states are the request's.
  own(gap.from.thread, std::min(gap.from_end, std::max(gap.to_begin, gap.from.t)));
  middle(gap, gap.to_begin);
  own(gap.to.thread, gap.to.t);
}

const Explainer::Due* Explainer::due_at(Time t) const {
  const Due* best = nullptr;
  for (const Due& due : due_) {
    if (due.begin <= t && t < due.end && (!best || due.end > best->end)) best = &due;
  }
  return best;
}

Time Explainer::next_due_after(Time t) const {
  Time next = Time::max();
  for (const Due& due : due_) {
    if (due.begin > t && due.begin < due.end) next = std::min(next, due.begin);
  }
  return next;
}

void Explainer::downstream(Time to, ConnId conn, ThreadId thread, bool estimated) {
  Tile tile;
  tile.state = State::kDownstream;
  tile.thread = thread;
  if (conn) tile.who = {.kind = Who::Kind::kConn, .estimated = estimated, .id = conn.value};
  w_.put(to, tile);
}

// A request that sends its question in the same stint in which the reply to another's was read on
// that connection had waited for the connection.
const Explainer::Due* Explainer::pooled_connection(const Gap& gap) {
  if (!gap.to.write_of) return nullptr;
  const Exchange& x = trace_.exchange(gap.to.write_of);
  if (!x.previous) return nullptr;
  const Exchange& before = trace_.exchange(x.previous);
  const bool same_thread = before.reader == x.writer && before.t_read > gap.from.t;
  if (!known(before.t_read) || !same_thread || before.t_arrive <= w_.at()) return nullptr;
  const Thread& thread = trace_.thread(x.writer);
  for (std::size_t i = owner_index(thread, x.t_write); i < thread.owners.size(); --i) {
    if (thread.owners[i].kind == OwnerChange::Kind::kIdle) return nullptr;
    if (thread.owners[i].t <= before.t_read) break;
    if (i == 0) break;
  }
  pooled_ = {w_.at(), before.t_arrive, x.conn};
  return &pooled_;
}

void tiles_of(const Trace& trace, RequestId id, std::vector<Tile>& out) {
  Explainer(trace, id, out).run();
  tag_collections(trace, trace.request(id), out);
}

}  // namespace srvprof
