// SIGSTOP, a debugger or a cgroup freezer held the whole process.
#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLookAlikes[] = {"cpu-quota", "runq-neighbour", "steal", "sleep"};
constexpr std::uint32_t kSigCont = 18;  // as on every architecture that srvprof supports

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kStopped;
}

// Who stopped the process, with the time of the claimed tiles. Where a tile does not name the
// sender, the signals and freezes of the phase do, if there is only one sender.
std::vector<Culprit> senders(const CauseContext& ctx, const ClaimStats& stats) {
  std::map<std::uint32_t, std::string> seen;  // pid -> comm
  for (const rows::Signal& s : ctx.trace.signals) {
    if (s.signal == kSigCont || s.t < ctx.begin - 1s || s.t > ctx.end) continue;
    seen[s.sender_pid] = s.sender;
  }
  for (const rows::Freeze& f : ctx.trace.freezes) {
    if (f.frozen && f.t >= ctx.begin - 1s && f.t <= ctx.end) seen[f.pid] = f.comm;
  }
  const auto by_sender = sum_by<std::uint32_t>(stats, [&](const ClaimedTile& c) -> std::uint32_t {
    if (c.tile.who.kind != Who::Kind::kTask) return seen.size() == 1 ? seen.begin()->first : 0;
    const Task* task = find_task(ctx.trace, c.tile.who.id);
    return task ? task->pid : c.tile.who.id;
  });
  std::vector<Culprit> out;
  for (const auto& [pid, sum] : largest(by_sender, 4)) {
    if (pid == 0) continue;
    Culprit c;
    c.pid = pid;
    if (const Process* process = find_process(ctx.trace, pid)) c.comm = process->comm;
    if (const Task* task = find_task(ctx.trace, pid); task && c.comm.empty()) c.comm = task->comm;
    if (const auto found = seen.find(pid); found != seen.end() && c.comm.empty()) {
      c.comm = found->second;
    }
    c.what = "sender of the stop";
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    out.push_back(std::move(c));
  }
  return out;
}

std::uint64_t stops_in_phase(const CauseContext& ctx) {
  std::uint64_t n = 0;
  for (const rows::Signal& s : ctx.trace.signals) {
    n += s.signal != kSigCont && s.t >= ctx.begin && s.t < ctx.end;
  }
  for (const rows::Freeze& f : ctx.trace.freezes)
    n += f.frozen && f.t >= ctx.begin && f.t < ctx.end;
  return n;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "the process was stopped";
  f.culprits = senders(ctx, stats);
  if (!f.culprits.empty()) {
    f.title = fmt::format("the process was stopped by {} (pid {})", f.culprits.front().comm,
                          f.culprits.front().pid);
  }
  f.evidence.push_back(stalls_words(stats));
  if (std::string echo = echo_words(stats); !echo.empty()) f.evidence.push_back(std::move(echo));
  if (const std::uint64_t n = stops_in_phase(ctx)) {
    f.evidence.push_back(
        fmt::format("{} seen in this phase", plural_words(n, "stop signal or freeze")));
  }
  const std::string stack = stack_words(ctx.trace, stats);
  if (!stack.empty()) f.evidence.push_back(fmt::format("kernel stack: {}", stack));
  f.tries.push_back(
      "find out why the sender stops or freezes this process (debugger, backup, pause)");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  if (stats.subject_mean == Duration(0)) return "never stopped or frozen";
  return fmt::format("stopped for {} a request", excess_words(stats));
}

}  // namespace

const Cause kStoppedCause{.id = "stopped",
                          .title = "the process was stopped",
                          .doc = "SIGSTOP, ptrace or a cgroup freezer held the process",
                          .claims = claims,
                          .describe = describe,
                          .innocent = innocent,
                          .look_alikes = kLookAlikes};

}  // namespace srvprof
