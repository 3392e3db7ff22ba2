// What each thread does for a living, told by what it does, and where that is not enough by what its
// runtime is known to call it. The recording says so in meta rows (src/runtime has the tables):
//   role.comm.<beginning of the thread's name>        collector:V8 GC and compiler worker
//   role.function.<part of a function's name>         the same, for a function in the thread's stacks
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "trace/raw.h"
#include "trace/timeline.h"

namespace srvprof {
namespace {

struct KnownRole {
  std::string pattern;
  ThreadRole role = ThreadRole::kUnknown;
  std::string words;
};

// "collector:V8 worker": the part before the colon is name_of(role).
std::vector<KnownRole> known_roles(const Trace& trace, std::string_view prefix) {
  std::vector<KnownRole> out;
  for (auto it = trace.meta.lower_bound(std::string(prefix));
       it != trace.meta.end() && it->first.starts_with(prefix); ++it) {
    const std::size_t colon = std::min(it->second.find(':'), it->second.size());
    for (const ThreadRole role :
         {ThreadRole::kLoop, ThreadRole::kServing, ThreadRole::kPoolWorker, ThreadRole::kHelper,
          ThreadRole::kCollector, ThreadRole::kCompiler, ThreadRole::kMonitor}) {
      if (name_of(role) != std::string_view(it->second).substr(0, colon)) continue;
      const std::string words = colon < it->second.size() ? it->second.substr(colon + 1) : "";
      out.push_back({it->first.substr(prefix.size()), role, words});
    }
  }
  return out;
}

// The roles that stacks tell, by hash.
std::unordered_map<std::uint64_t, const KnownRole*> roles_of_stacks(
    const Trace& trace, const std::vector<KnownRole>& known) {
  std::unordered_map<std::uint64_t, const KnownRole*> out;
  if (known.empty()) return out;
  for (const auto& [hash, stack] : trace.stacks) {
    for (std::size_t i = 0; i < stack.pcs.size(); ++i) {
      const std::uint64_t hint = i < stack.hints.size() ? stack.hints[i] : 0;
      const auto frames = trace.frames.find({stack.pid, stack.pcs[i], hint});
      if (frames == trace.frames.end()) continue;
      for (const rows::Frame& f : frames->second) {
        for (const KnownRole& k : known) {
          if (f.function.find(k.pattern) != std::string::npos) out[hash] = &k;
        }
      }
    }
  }
  return out;
}

// What the runtime's tables say of threads. Told by the name, else by any of its stacks.
void apply_known_roles(Trace& trace) {
  const std::vector<KnownRole> by_comm = known_roles(trace, "role.comm.");
  const std::vector<KnownRole> by_function = known_roles(trace, "role.function.");
  if (by_comm.empty() && by_function.empty()) return;
  const auto of_stack = roles_of_stacks(trace, by_function);
  std::unordered_map<std::uint32_t, const KnownRole*> of_thread;
  const auto look = [&](std::uint32_t thread, std::uint64_t stack) {
    const auto found = of_stack.find(stack);
    if (found != of_stack.end()) of_thread[thread] = found->second;
  };
  for (const rows::Sample& s : trace.samples) {
    const auto thread = trace.thread_by_tid.find(s.tid);
    if (thread != trace.thread_by_tid.end()) look(thread->second.value, s.ustack);
  }
  for (std::uint32_t i = 1; i <= trace.threads.size(); ++i) {
    Thread& thread = trace.threads[i - 1];
    if (thread.role == ThreadRole::kLoop || thread.role == ThreadRole::kServing) continue;
    for (const OffInterval& off : thread.off) {
      if (off.ustack != 0) look(i, off.ustack);
    }
    for (const KnownRole& k : by_comm) {
      if (thread.comm.starts_with(k.pattern)) of_thread[i] = &k;
    }
    const auto found = of_thread.find(i);
    if (found == of_thread.end()) continue;
    thread.role = found->second->role;
    thread.role_words = found->second->words;
  }
}

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
  apply_known_roles(trace);
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
