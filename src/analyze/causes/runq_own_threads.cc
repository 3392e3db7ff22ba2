// The serving thread waited for a CPU that other threads of the same process held.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/causes/runq.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLookAlikes[] = {"behind-other-route", "cpu-quota", "runq-neighbour",
                                            "runq-load-generator"};
constexpr Duration kShortLife = 1s;  // clones of a hash library live for milliseconds

bool claims(const CauseContext& ctx, const Request&, const Tile& tile) {
  return occupant_of(ctx, tile) == Owner::kTarget;
}

std::string comm_of(const Trace& trace, std::uint32_t tid) {
  if (const Thread* thread = find_thread(trace, tid); thread && !thread->comm.empty()) {
    return thread->comm;
  }
  const Task* task = find_task(trace, tid);
  return task ? task->comm : std::string{};
}

bool is_short_lived(const Trace& trace, std::uint32_t tid) {
  const Thread* t = find_thread(trace, tid);
  return t && known(t->t_born) && known(t->t_exit) && t->t_exit - t->t_born < kShortLife;
}

// "libuv-worker threads", the names of the threads that cloned `tids`.
std::string parents_words(const Trace& trace, const std::set<std::uint32_t>& tids) {
  std::map<std::string, std::set<std::uint32_t>> parents;
  for (const std::uint32_t tid : tids) {
    const Thread* t = find_thread(trace, tid);
    if (t && t->parent) parents[comm_of(trace, t->parent)].insert(t->parent);
  }
  std::string out;
  for (const auto& [comm, list] : parents) {
    if (!out.empty()) out += ", ";
    out += list.size() == 1 ? fmt::format("{} (tid {})", comm, *list.begin())
                            : fmt::format("{} threads {}", list.size(), comm);
  }
  return out;
}

std::string role_words(const Trace& trace, std::uint32_t tid) {
  const Thread* t = find_thread(trace, tid);
  if (!t) return "thread";
  if (!t->role_words.empty()) return t->role_words;
  switch (t->role) {
    case ThreadRole::kLoop: return "event loop";
    case ThreadRole::kServing: return "serving thread";
    case ThreadRole::kPoolWorker: return "pool worker";
    case ThreadRole::kHelper: return "helper thread";
    case ThreadRole::kCollector: return "GC helper";
    case ThreadRole::kCompiler: return "JIT compiler thread";
    case ThreadRole::kMonitor: return "monitor thread";
    case ThreadRole::kUnknown: break;
  }
  return "thread";
}

struct Crowd {
  std::set<std::uint32_t> tids;
  Duration time{};
};
// Occupants with one name, one way of life and one work: Go's sysmon is named like its other threads.
struct CrowdKey {
  std::string comm;
  bool short_lived = false;
  std::string role;  // in words; empty if short-lived
  auto operator<=>(const CrowdKey&) const = default;
};

std::map<CrowdKey, Crowd> crowds_of(const Trace& trace, const ClaimStats& stats) {
  std::map<CrowdKey, Crowd> crowds;
  for (const ClaimedTile& c : stats.tiles) {
    const std::uint32_t tid = c.tile.who.id;
    const bool short_lived = is_short_lived(trace, tid);
    Crowd& crowd =
        crowds[{comm_of(trace, tid), short_lived, short_lived ? "" : role_words(trace, tid)}];
    crowd.tids.insert(tid);
    crowd.time += c.tile.length;
  }
  return crowds;
}

std::string crowd_words(const Trace& trace, const CrowdKey& key, const Crowd& crowd) {
  if (key.short_lived) {
    const std::string parents = parents_words(trace, crowd.tids);
    return fmt::format("{} named {}{}", plural_words(crowd.tids.size(), "short-lived thread"),
                       key.comm, parents.empty() ? "" : " (cloned by " + parents + ")");
  }
  return fmt::format("{} named {}", plural_words(crowd.tids.size(), key.role), key.comm);
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "run queue, behind this process's own threads";
  auto crowds = crowds_of(ctx.trace, stats);
  std::vector<std::pair<CrowdKey, Crowd>> order(crowds.begin(), crowds.end());
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.second.time > b.second.time; });
  if (order.size() > 4) order.resize(4);
  for (const auto& [key, crowd] : order) {
    Culprit c;
    c.tid = *crowd.tids.begin();
    if (const Task* task = find_task(ctx.trace, c.tid)) c.pid = task->pid;
    if (const Thread* thread = find_thread(ctx.trace, c.tid)) c.pid = thread->pid;
    c.comm = key.comm;
    c.what = crowd_words(ctx.trace, key, crowd);
    c.time = per_request(stats, crowd.time);
    c.share_of_gap = share_of_gap(stats, crowd.time);
    f.evidence.push_back(fmt::format("{} held the CPU: {}", c.what, ms_words(c.time)));
    f.culprits.push_back(std::move(c));
  }
  for (std::string& line : runq_evidence(stats)) f.evidence.push_back(std::move(line));
  f.tries.push_back("fewer threads at work at once (pool size, parallelism of the hash)");
  f.tries.push_back("a CPU of its own for that work, or a second process for it");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("this process's own threads held its CPU for {}", excess_words(stats));
}

}  // namespace

const Cause kRunqOwnThreadsCause{
    .id = "runq-own-threads",
    .title = "run queue, behind this process's own threads",
    .doc = "waited for a CPU that other threads of the same process held",
    .claims = claims,
    .describe = describe,
    .innocent = innocent,
    .look_alikes = kLookAlikes};

}  // namespace srvprof
