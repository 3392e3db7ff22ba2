// A futex or kernel lock was held by another task: the one that woke the waiter.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/frames.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"downstream", "sleep",          "page-fault",
                                            "pool",       "runq-neighbour", "cpu-quota"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kBlockedLock;
}

// What the holder did during the waits: on CPU or blocked, and below which function it was blocked.
std::string holder_words(const CauseContext& ctx, const ClaimStats& stats, std::uint32_t tid) {
  const Thread* holder = find_thread(ctx.trace, tid);
  if (!holder) return {};
  ThreadTotals sum;
  std::map<std::string, Duration> where;
  Duration waited{};
  for (const ClaimedTile& c : stats.tiles) {
    if (c.tile.who.kind != Who::Kind::kTask || c.tile.who.id != tid) continue;
    const Time end = c.tile.begin + c.tile.length;
    const ThreadTotals t = totals_of(*holder, c.tile.begin, end);
    sum.cpu += t.cpu;
    sum.runq += t.runq + t.throttled;
    sum.blocked += t.blocked;
    waited += c.tile.length;
    auto off = std::lower_bound(holder->off.begin(), holder->off.end(), c.tile.begin,
                                [](const OffInterval& o, Time at) { return o.t_in <= at; });
    for (; off != holder->off.end() && off->t_out < end; ++off) {
      std::string names = innermost_names(ctx.trace, off->kstack, 2);
      if (!names.empty())
        where[names] += std::min(end, off->t_wake) - std::max(c.tile.begin, off->t_out);
    }
  }
  if (waited <= Duration(0)) return {};
  std::string line = fmt::format("meanwhile it ran {}, waited for a CPU {}, was blocked {}",
                                 percent_words(to_ms(sum.cpu) / to_ms(waited)),
                                 percent_words(to_ms(sum.runq) / to_ms(waited)),
                                 percent_words(to_ms(sum.blocked) / to_ms(waited)));
  const auto top = largest(where, 1);
  if (!top.empty() && sum.blocked > sum.cpu) line += fmt::format(" in {}", top.front().first);
  return line;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "a lock held by another thread";
  const auto by_holder = sum_by<std::uint32_t>(stats, [](const ClaimedTile& c) {
    return c.tile.who.kind == Who::Kind::kTask ? c.tile.who.id : 0;
  });
  for (const auto& [tid, sum] : largest(by_holder, 4)) {
    if (tid == 0) {
      f.evidence.push_back(fmt::format("holder not known: {}", ms_words(per_request(stats, sum))));
      continue;
    }
    Culprit c;
    c.tid = tid;
    if (const Task* task = find_task(ctx.trace, tid)) {
      c.pid = task->pid;
      c.comm = task->comm;
    }
    if (const Thread* thread = find_thread(ctx.trace, tid)) {
      c.pid = thread->pid;
      if (!thread->comm.empty()) c.comm = thread->comm;
    }
    c.what = "holder of the lock";
    c.time = per_request(stats, sum);
    c.share_of_gap = share_of_gap(stats, sum);
    const std::string who = task_words(ctx.trace, tid);
    if (f.culprits.empty()) f.title = fmt::format("a lock held by {}", who);
    f.evidence.push_back(fmt::format("released by {}: {}", who, ms_words(c.time)));
    const std::string doing = holder_words(ctx, stats, tid);
    if (!doing.empty()) f.evidence.push_back(doing);
    f.culprits.push_back(std::move(c));
  }
  f.evidence.push_back(stalls_words(stats));
  const std::string stack = stack_words(ctx.trace, stats);
  if (!stack.empty()) f.evidence.push_back(fmt::format("kernel stack of the waiter: {}", stack));
  f.tries.push_back("hold the lock for less time, never across a wait; split or shard it");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} waiting for locks", excess_words(stats));
}

}  // namespace

const Cause kLockCause{.id = "lock",
                       .title = "a lock",
                       .doc = "blocked on a lock that another task held",
                       .claims = claims,
                       .describe = describe,
                       .innocent = innocent,
                       .look_alikes = kLookAlikes};

}  // namespace srvprof
