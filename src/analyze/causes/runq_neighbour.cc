// The serving thread waited for a CPU that another process held.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/causes/runq.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"cpu-quota", "steal", "runq-own-threads",
                                            "runq-load-generator"};
constexpr double kNoticeable = 0.01;  // CPUs

// Waiting for an idle CPU to wake up has no occupant and is not a neighbour's doing.
bool claims(const CauseContext& ctx, const Request&, const Tile& tile) {
  return occupant_of(ctx, tile) == Owner::kOther;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "run queue, behind another process";
  f.culprits = culprits_by_process(ctx, stats);
  if (!f.culprits.empty()) {
    const Culprit& first = f.culprits.front();
    f.title = fmt::format("run queue, behind {} (pid {})", first.comm, first.pid);
  }
  for (const Culprit& c : f.culprits) {
    // The first always; of the others those that matter.
    if (&c != &f.culprits.front() && c.time * 20 < stats.gap) continue;
    std::string line = fmt::format("{} (pid {}", c.comm, c.pid);
    if (!c.what.empty()) line += ", " + c.what;
    if (!c.cgroup.empty()) line += ", cgroup " + c.cgroup;
    f.evidence.push_back(line + fmt::format(") held the server's CPU: {}", ms_words(c.time)));
  }
  for (std::string& line : runq_evidence(stats)) f.evidence.push_back(std::move(line));
  f.tries.push_back("move the neighbour to other CPUs (taskset, cpuset) or give it less weight");
  return f;
}

std::string innocent(const CauseContext& ctx, const ClaimStats& stats) {
  const MachineProcess* other = ctx.facts.busiest_other();
  if (stats.gap <= Duration(0) && !ctx.facts.machine.empty() &&
      (!other || other->cpus < kNoticeable)) {
    return "no other process above 1 % of a CPU";
  }
  std::string line = fmt::format("other processes held its CPU for {}", excess_words(stats));
  if (other) {
    line += fmt::format(" (the busiest, {} pid {}, used {} of a CPU)", other->comm, other->pid,
                        percent_words(other->cpus));
  }
  return line;
}

}  // namespace

const Cause kRunqNeighbourCause{.id = "runq-neighbour",
                                .title = "run queue, behind another process",
                                .doc = "waited for a CPU that another process held",
                                .claims = claims,
                                .describe = describe,
                                .innocent = innocent,
                                .look_alikes = kLookAlikes};

}  // namespace srvprof
