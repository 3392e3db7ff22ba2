// Workers that do jobs for an event loop, and the lanes that they clone.
#include <algorithm>
#include <optional>

#include "trace/explain.h"
#include "trace/stop.h"

namespace srvprof {
namespace {

// A worker (or one of its lanes) at a moment; state is empty if it waits for a job.
struct Activity {
  std::optional<State> state;
  Time until;
};

Activity activity_of(const Thread& thread, Time t, Time to) {
  const Piece piece = piece_at(thread, t, to);
  Activity activity{.state = std::nullopt, .until = piece.end};
  const bool idle = piece.run == Run::kBlocked && thread.off[piece.off - 1].idle;
  if (piece.run != Run::kUnknown && !idle) activity.state = worker_state_of(thread, piece);
  return activity;
}

// A worker that waits while lanes of its own live works through them: running ones count first.
Activity with_lanes(const Trace& trace, const Thread& worker, Time t, Time to) {
  Activity activity = activity_of(worker, t, to);
  const bool joins = !activity.state || *activity.state == State::kBlockedLock;
  if (!joins || worker.children.empty()) return activity;
  const auto born =
      std::upper_bound(worker.children.begin(), worker.children.end(), t,
                       [&](Time value, ThreadId id) { return value < trace.thread(id).t_born; });
  if (born != worker.children.end()) {
    activity.until = std::min(activity.until, trace.thread(*born).t_born);
  }
  constexpr std::ptrdiff_t kLanesMax = 64;  // of one job, and a few that have not been reaped
  for (auto it = born; it != worker.children.begin() && born - it < kLanesMax;) {
    const Thread& lane = trace.thread(*--it);
    if (known(lane.t_exit) && lane.t_exit <= t) continue;
    const Activity of_lane = activity_of(lane, t, activity.until);
    activity.until = of_lane.until;
    if (!of_lane.state) continue;
    if (!activity.state || *of_lane.state == State::kCpu) activity.state = of_lane.state;
  }
  return activity;
}

}  // namespace

PoolActivity pool_at(const Trace& trace, std::uint32_t pid, ThreadId hint, Time t, Time to) {
  PoolActivity result;
  result.until = to;
  const auto pool = trace.pool_of_pid.find(pid);
  if (pool == trace.pool_of_pid.end()) return result;
  std::size_t active = 0;
  Time best_until = to, none_until = to;
  for (const ThreadId id : pool->second) {
    const Activity activity = with_lanes(trace, trace.thread(id), t, to);
    none_until = std::min(none_until, activity.until);
    if (!activity.state || *activity.state == State::kStopped) continue;
    ++active;
    const bool better = id == hint || (result.worker != hint && *activity.state == State::kCpu &&
                                       result.state != State::kCpu);
    if (result.worker && !better) continue;
    result.worker = id;
    result.state = *activity.state;
    best_until = activity.until;
  }
  result.until = result.worker ? best_until : none_until;
  result.estimated = active > 1 && result.worker != hint;
  return result;
}

ThreadId thread_of_waker(const Trace& trace, const OffInterval& off) {
  return thread_at(trace, off.waker, off.t_wake);
}

bool is_pool_worker(const Trace& trace, std::uint32_t pid, ThreadId thread) {
  if (!thread || trace.thread(thread).pid != pid) return false;
  return trace.thread(thread).role == ThreadRole::kPoolWorker;
}

}  // namespace srvprof
