// The request waited for one of the process's workers.
#include <fmt/format.h>

#include <map>
#include <set>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/samples.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"behind-other-route", "behind-same-route", "lock",
                                            "downstream",         "runq-own-threads",  "cpu-quota"};

// A pool tile without a worker is not named: it stays unexplained.
bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kPool && tile.who.kind == Who::Kind::kTask;
}

std::string_view worker_words(State state) {
  switch (state) {
    case State::kCpu: return "worker on CPU";
    case State::kRunqPreempt:
    case State::kRunqWake: return "worker waiting for a CPU";
    case State::kThrottled: return "worker throttled";
    case State::kBehind: return "queued behind other work";
    case State::kUnexplained: return "queued, or worker's state not known";
    default: break;
  }
  return name_of(state);
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  std::map<std::string, std::set<std::uint32_t>> workers;
  for (const ClaimedTile& c : stats.tiles) {
    const Thread* t = find_thread(ctx.trace, c.tile.who.id);
    const Task* task = find_task(ctx.trace, c.tile.who.id);
    workers[t && !t->comm.empty() ? t->comm : task ? task->comm : ""].insert(c.tile.who.id);
  }
  std::string names;
  for (const auto& [comm, tids] : workers) {
    if (!names.empty()) names += ", ";
    names += fmt::format("{} {}", tids.size(), comm.empty() ? "unnamed" : comm);
  }
  f.title = fmt::format("waiting for the process's own workers ({})", names);
  const auto by_state = sum_by<std::string>(
      stats, [](const ClaimedTile& c) { return std::string(worker_words(c.tile.worker_state)); });
  for (const auto& [words, sum] : largest(by_state, 4)) {
    f.evidence.push_back(fmt::format("{}: {}", words, ms_words(per_request(stats, sum))));
  }
  const auto by_worker =
      sum_by<std::uint32_t>(stats, [](const ClaimedTile& c) { return c.tile.who.id; });
  for (const auto& [tid, sum] : largest(by_worker, 4)) {
    Culprit c;
    c.tid = tid;
    if (const Thread* t = find_thread(ctx.trace, tid)) {
      c.pid = t->pid;
      c.comm = t->comm;
    }
    c.what = "worker";
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    f.culprits.push_back(std::move(c));
  }
  const std::string samples = worker_sample_words(ctx.trace, stats.tiles);
  if (!samples.empty()) f.evidence.push_back(samples);
  f.tries.push_back("more CPUs or less work for the pool; a larger pool only if CPUs are idle");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} waiting for workers", excess_words(stats));
}

}  // namespace

const Cause kPoolCause{.id = "pool",
                       .title = "waiting for the process's own workers",
                       .doc = "queued for, or waiting on, a worker thread of the process",
                       .claims = claims,
                       .describe = describe,
                       .innocent = innocent,
                       .look_alikes = kLookAlikes};

}  // namespace srvprof
