#include "analyze/causes/runq.h"

#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/words.h"

namespace srvprof {

Owner occupant_of(const CauseContext& ctx, const Tile& tile) {
  if (tile.state != State::kRunqPreempt && tile.state != State::kRunqWake) return Owner::kUnknown;
  if (tile.who.kind != Who::Kind::kTask) return Owner::kUnknown;
  return owner_of(ctx.trace, tile.who.id);
}

std::vector<Culprit> culprits_by_process(const CauseContext& ctx, const ClaimStats& stats) {
  const auto by_pid = sum_by<std::uint32_t>(stats, [&](const ClaimedTile& c) {
    const Task* task = find_task(ctx.trace, c.tile.who.id);
    return task ? task->pid : c.tile.who.id;
  });
  std::vector<Culprit> out;
  for (const auto& [pid, sum] : largest(by_pid, 5)) {
    Culprit c;
    c.pid = pid;
    c.tid = pid;
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    const Process* process = find_process(ctx.trace, pid);
    const Task* task = find_task(ctx.trace, pid);
    if (process) {
      c.comm = process->comm;
      c.cgroup = process->cgroup;
    }
    if (c.comm.empty() && task) c.comm = task->comm;
    if (task && is_kernel_thread(*task)) c.what = "kernel thread";
    if (task && is_real_time(*task)) c.what = "real-time priority";
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<std::string> runq_evidence(const ClaimStats& stats) {
  std::vector<std::string> out;
  out.push_back(stalls_words(stats));
  if (std::string echo = echo_words(stats); !echo.empty()) out.push_back(std::move(echo));
  out.push_back(fmt::format("{} after a preemption, {} after a wake-up, per request",
                            ms_words(state_time(stats, State::kRunqPreempt)),
                            ms_words(state_time(stats, State::kRunqWake))));
  return out;
}

}  // namespace srvprof
