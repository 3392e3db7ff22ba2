// What each thread does for a living, told by what it does.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "trace/raw.h"
#include "trace/timeline.h"

namespace srvprof {
namespace {

struct Habits {
  std::uint64_t futex = 0, other = 0, events = 0;
};

Habits habits_of(const Thread& thread) {
  Habits h;
  for (const OffInterval& off : thread.off) {
    h.futex += off.wait == Wait::kFutex;
    h.events += off.wait == Wait::kEvents;
    h.other += off.wait == Wait::kSleep || off.wait == Wait::kSocket || off.wait == Wait::kAccept ||
               off.wait == Wait::kPipe;
  }
  return h;
}

ThreadRole role_of(const Trace& trace, const Thread& thread, bool reads) {
  if (thread.t_known == Time::max()) return ThreadRole::kUnknown;
  if (reads) {
    return trace.model == RuntimeModel::kEventLoop ? ThreadRole::kLoop : ThreadRole::kServing;
  }
  const Habits h = habits_of(thread);
  // A worker sleeps on a futex until there is a job; Go's parked threads do too, but serve any
  // request.
  const bool works = h.futex != 0 && h.futex >= h.events + h.other;
  if (works && trace.model != RuntimeModel::kGoroutines) return ThreadRole::kPoolWorker;
  return ThreadRole::kHelper;
}

// Lanes: what a pool worker clones works for the pool.
void mark_lanes(Trace& trace, std::unordered_set<std::uint32_t>& lanes) {
  for (Thread& parent : trace.threads) {
    if (parent.role != ThreadRole::kPoolWorker) continue;
    for (const ThreadId id : parent.children) {
      trace.threads[id.value - 1].role = ThreadRole::kPoolWorker;
      lanes.insert(id.value);
    }
  }
}

// How often each thread woke an idle loop: a pool's worker does when its job is done, the helpers
// of a runtime (compilers, collectors) do not.
std::unordered_map<std::uint32_t, std::uint64_t> wakes_of_loops(const Trace& trace) {
  std::unordered_map<std::uint32_t, std::uint64_t> wakes;
  for (const Thread& loop : trace.threads) {
    if (loop.role != ThreadRole::kLoop) continue;
    for (const OffInterval& off : loop.off) {
      if (!off.idle || off.waker == 0) continue;
      const ThreadId waker = thread_at(trace, off.waker, off.t_wake);
      if (waker) ++wakes[waker.value];
    }
  }
  return wakes;
}

}  // namespace

void find_roles(Trace& trace) {
  std::vector<bool> reads(trace.threads.size() + 1);
  for (const Request& r : trace.requests) {
    if (r.n_read != 0) reads[r.reader.value] = true;
  }
  for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
    trace.threads[i].role = role_of(trace, trace.threads[i], reads[i + 1]);
  }
  std::unordered_set<std::uint32_t> lanes;
  mark_lanes(trace, lanes);
  const auto wakes = wakes_of_loops(trace);
  std::unordered_set<std::uint32_t> pids_with_loop;
  for (const Thread& thread : trace.threads) {
    if (thread.role == ThreadRole::kLoop) pids_with_loop.insert(thread.pid);
  }
  std::unordered_map<std::uint32_t, std::vector<ThreadId>> all;
  for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
    const Thread& thread = trace.threads[i];
    if (thread.role != ThreadRole::kPoolWorker || lanes.contains(i + 1)) continue;
    if (!pids_with_loop.contains(thread.pid)) continue;
    all[thread.pid].push_back({i + 1});
    if (wakes.contains(i + 1)) trace.pool_of_pid[thread.pid].push_back({i + 1});
  }
  // A loop that never idles is never woken: then any worker may be the one.
  for (auto& [pid, workers] : all) trace.pool_of_pid.try_emplace(pid, std::move(workers));
}

}  // namespace srvprof
