// Off-CPU rows and thread states -> timelines.
#include <algorithm>
#include <map>
#include <set>

#include "trace/flags.h"
#include "trace/raw.h"
#include "trace/timeline.h"
#include "trace/wait.h"

namespace srvprof {
namespace {

// Ends of the trace: what the thread states at attach and detach say, else the rows that bound the
// run, else the first and last time of any row.
void find_ends(const Raw& raw, Trace& trace) {
  for (const rows::ThreadState& s : raw.states) {
    if (s.at_end) {
      trace.t_end = std::max(trace.t_end, s.t);
    } else if (!known(trace.t_begin) || s.t < trace.t_begin) {
      trace.t_begin = s.t;
    }
  }
  if (!known(trace.t_begin) && !trace.clocks.empty()) trace.t_begin = trace.clocks.front().t;
  if (!known(trace.t_begin)) trace.t_begin = raw.t_first;
  if (!known(trace.t_end)) trace.t_end = raw.t_end_row;
  if (!known(trace.t_end)) trace.t_end = raw.t_last;
  trace.t_end = std::max(trace.t_begin, trace.t_end);
}

// Lives by tid: numbers of short-lived threads are used again.
class Lives {
 public:
  Lives(const Raw& raw, Trace& trace) : trace_(trace) {
    std::vector<Birth> births = raw.births;
    std::stable_sort(births.begin(), births.end(),
                     [](const Birth& a, const Birth& b) { return a.t < b.t; });
    std::set<std::uint32_t> from_start;
    std::map<std::uint32_t, Time> first_birth;
    for (const Birth& b : births) first_birth.try_emplace(b.tid, b.t);
    const auto existed = [&](std::uint32_t tid, Time t) {
      if (tid == 0) return;
      const auto it = first_birth.find(tid);
      if (it == first_birth.end() || t < it->second) from_start.insert(tid);
    };
    for (const rows::ThreadState& s : raw.states) existed(s.tid, s.at_end ? trace.t_end : s.t);
    for (const auto& [tid, intervals] : raw.off) {
      for (const OffInterval& off : intervals) existed(tid, off.t_in);
    }
    for (const RawRequest& r : raw.requests) existed(r.tid_read, r.request.t_read);
    for (const RawRequest& r : raw.requests) existed(r.tid_write, r.request.t_write);
    for (const rows::Mark& m : raw.marks) existed(m.tid, m.t);
    for (const RawExchange& x : raw.exchanges) existed(x.tid_write, x.exchange.t_write);
    for (const std::uint32_t tid : from_start) add(tid, {}, 0, 0);
    for (const Birth& b : births) add(b.tid, b.t, b.pid, b.parent);
  }

 private:
  void add(std::uint32_t tid, Time t_born, std::uint32_t pid, std::uint32_t parent) {
    Thread thread;
    thread.tid = tid;
    thread.pid = pid;
    thread.parent = parent;
    thread.t_born = t_born;
    ThreadId& slot = trace_.thread_by_tid[tid];
    if (slot && trace_.thread(slot).t_born == t_born) return;  // told twice
    thread.earlier = slot;
    trace_.threads.push_back(std::move(thread));
    slot = {static_cast<std::uint32_t>(trace_.threads.size())};
  }

  Trace& trace_;
};

Thread* find(Trace& trace, std::uint32_t tid, Time t) {
  const ThreadId id = thread_at(trace, tid, t);
  return id ? &trace.threads[id.value - 1] : nullptr;
}

void name_threads(const Raw& raw, Trace& trace) {
  for (const auto& [tid, task] : trace.tasks) {
    const auto it = trace.thread_by_tid.find(tid);
    if (it == trace.thread_by_tid.end()) continue;
    for (ThreadId id = it->second; id; id = trace.thread(id).earlier) {
      Thread& thread = trace.threads[id.value - 1];
      thread.comm = task.comm;
      if (thread.pid == 0) thread.pid = task.pid;
    }
  }
  for (const rows::ThreadState& s : raw.states) {
    Thread* thread = find(trace, s.tid, s.t);
    if (!thread) continue;
    thread->comm = s.comm.empty() ? thread->comm : s.comm;
    thread->pid = s.pid != 0 ? s.pid : thread->pid;
  }
  for (const rows::TaskExit& e : raw.exits) {
    if (Thread* thread = find(trace, e.tid, e.t)) thread->t_exit = e.t;
  }
}

void set_known(const Raw& raw, Trace& trace) {
  std::set<std::uint32_t> at_start;
  for (const rows::ThreadState& s : raw.states) {
    if (!s.at_end) at_start.insert(s.tid);
  }
  for (Thread& thread : trace.threads) {
    if (known(thread.t_born)) {
      thread.t_known = thread.t_born;
      continue;
    }
    // A thread without a state at attach shows by its first interval where it was.
    thread.known_from_start = at_start.contains(thread.tid) || !thread.off.empty();
    thread.t_known = thread.known_from_start ? trace.t_begin : Time::max();
  }
}

// Puts the times of an interval into order and inside its thread's life; false if nothing is left.
bool tidy(OffInterval& off, Time begin, Time previous_end, Raw& raw) {
  if ((off.flags & kOffNoStart) != 0 || !known(off.t_out)) {
    off.t_out = std::max(begin, previous_end);
  }
  if (!known(off.t_wake)) off.t_wake = off.t_out;
  if (off.t_in < off.t_out) {
    ++raw.overlaps;
    return false;
  }
  if (off.t_out < previous_end) {
    ++raw.overlaps;
    off.t_out = previous_end;
  }
  if (off.t_in <= off.t_out) return false;
  off.t_wake = std::clamp(off.t_wake, off.t_out, off.t_in);
  off.t_throttle = std::clamp(off.t_throttle, off.t_wake, off.t_in);
  off.t_throttle_end = std::clamp(off.t_throttle_end, off.t_throttle, off.t_in);
  return true;
}

void distribute_intervals(Raw& raw, Trace& trace) {
  for (auto& [tid, intervals] : raw.off) {
    std::stable_sort(intervals.begin(), intervals.end(),
                     [](const OffInterval& a, const OffInterval& b) { return a.t_in < b.t_in; });
    for (OffInterval& off : intervals) {
      Thread* thread = find(trace, tid, off.t_in);
      if (!thread) continue;
      const Time begin = known(thread->t_born) ? thread->t_born : trace.t_begin;
      const Time previous_end = thread->off.empty() ? Time{} : thread->off.back().t_in;
      if (tidy(off, begin, previous_end, raw)) thread->off.push_back(off);
    }
    intervals = {};
  }
}

OffInterval interval_of(const rows::ThreadState& s, Time t_end) {
  OffInterval off;
  off.t_out = s.since;
  off.t_in = t_end;
  off.t_wake = s.run == kRunBlocked ? t_end : s.t_wake;
  if (known(s.t_wake) && s.run == kRunBlocked) off.t_wake = s.t_wake;
  off.flags = s.flags | (known(s.since) ? 0U : kOffNoStart);
  off.sysnr = s.sysnr;
  off.state = static_cast<char>(s.state);
  off.kstack = s.kstack;
  if ((s.flags & kOffThrottled) != 0) off.t_throttle_end = t_end;
  return off;
}

// The last interval of a thread that is off CPU at detach, and what the state at attach says of the
// first one.
void apply_states(Raw& raw, Trace& trace) {
  for (const rows::ThreadState& s : raw.states) {
    Thread* thread = find(trace, s.tid, s.at_end ? trace.t_end : s.t);
    if (!thread || (s.run != kRunBlocked && s.run != kRunRunnable)) continue;
    const Time begin = known(thread->t_born) ? thread->t_born : trace.t_begin;
    if (!s.at_end) {
      if (thread->off.empty() || (thread->off.front().flags & kOffNoStart) == 0) continue;
      OffInterval& first = thread->off.front();
      if (first.state == 0) first.state = static_cast<char>(s.state);
      if (first.sysnr == 0) first.sysnr = s.sysnr;
      first.flags |= s.flags & kOffFromSyscall;
      continue;
    }
    if (known(thread->t_exit)) continue;
    const Time previous_end = thread->off.empty() ? Time{} : thread->off.back().t_in;
    OffInterval off = interval_of(s, trace.t_end);
    if (tidy(off, begin, previous_end, raw)) thread->off.push_back(off);
  }
}

// Threads that slept from attach to the end of a recording that was cut, so that nothing else
// tells.
void add_sleepers(Raw& raw, Trace& trace) {
  for (const rows::ThreadState& s : raw.states) {
    Thread* thread = find(trace, s.tid, s.t);
    if (!thread || s.at_end || s.run != kRunBlocked || !thread->off.empty()) continue;
    OffInterval off = interval_of(s, trace.t_end);
    off.flags |= kOffNoStart;
    off.t_wake = trace.t_end;
    if (tidy(off, trace.t_begin, Time{}, raw)) thread->off.push_back(off);
  }
}

void link_families(Trace& trace) {
  for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
    Thread& thread = trace.threads[i];
    const ThreadId id{i + 1};
    const bool short_lived = known(thread.t_born) && known(thread.t_exit);
    if (!short_lived) trace.threads_of_pid[thread.pid].push_back(id);
    if (thread.parent == 0 || thread.parent == thread.tid) continue;
    if (Thread* parent = find(trace, thread.parent, thread.t_born)) parent->children.push_back(id);
  }
}

void add_migrations_and_irqs(Raw& raw, Trace& trace) {
  trace.migrations.resize(trace.threads.size());
  std::stable_sort(raw.migrations.begin(), raw.migrations.end(),
                   [](const rows::Migrate& a, const rows::Migrate& b) { return a.t < b.t; });
  for (const rows::Migrate& m : raw.migrations) {
    const ThreadId id = thread_at(trace, m.tid, m.t);
    if (id) trace.migrations[id.value - 1].push_back(m);
  }
  std::stable_sort(raw.irqs.begin(), raw.irqs.end(),
                   [](const rows::Irq& a, const rows::Irq& b) { return a.t < b.t; });
  for (const rows::Irq& row : raw.irqs) {
    Thread* thread = find(trace, row.tid, row.t);
    if (!thread) continue;
    IrqSpan span{.begin = row.t - Duration(row.ns),
                 .end = row.t,
                 .vector = row.vector,
                 .softirq = row.softirq};
    if (!thread->irqs.empty()) span.begin = std::max(span.begin, thread->irqs.back().end);
    if (span.begin < span.end) thread->irqs.push_back(span);
  }
}

// The version 2 freezer looks like a plain sleep: without a stack, an interval that began while the
// thread's cgroup was frozen and ended after the thaw is the freezer's.
bool frozen(const Trace& trace, const Thread& thread, const OffInterval& off) {
  const auto task = trace.tasks.find(thread.tid);
  if (task == trace.tasks.end() || trace.freezes.empty()) return false;
  Time since;
  for (const rows::Freeze& f : trace.freezes) {
    if (f.cgroup != task->second.cgroup) continue;
    if (f.frozen) {
      since = f.t;
    } else if (known(since) && off.t_out >= since && off.t_out < f.t && off.t_wake >= f.t) {
      return true;
    } else {
      since = {};
    }
  }
  return false;
}

void classify_waits(Trace& trace) {
  WaitClassifier classifier(trace);
  for (Thread& thread : trace.threads) {
    for (OffInterval& off : thread.off) {
      off.wait = classifier.classify(off);
      if (off.wait != Wait::kNone && off.wait != Wait::kStopped && frozen(trace, thread, off)) {
        off.wait = Wait::kStopped;
      }
    }
  }
}

}  // namespace

void build_threads(Raw& raw, Trace& trace) {
  find_ends(raw, trace);
  Lives(raw, trace);
  name_threads(raw, trace);
  distribute_intervals(raw, trace);
  apply_states(raw, trace);
  add_sleepers(raw, trace);
  set_known(raw, trace);
  link_families(trace);
  add_migrations_and_irqs(raw, trace);
  classify_waits(trace);
}

}  // namespace srvprof
