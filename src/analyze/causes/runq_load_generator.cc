// The serving thread waited for a CPU that the load generator held.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/causes/runq.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"runq-neighbour", "runq-own-threads", "cpu-quota"};

bool claims(const CauseContext& ctx, const Request&, const Tile& tile) {
  return occupant_of(ctx, tile) == Owner::kLoadGenerator;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "run queue, behind the load generator";
  f.culprits = culprits_by_process(ctx, stats);
  if (!f.culprits.empty()) {
    const Culprit& first = f.culprits.front();
    f.title =
        fmt::format("run queue, behind the load generator ({}, pid {})", first.comm, first.pid);
  }
  for (Culprit& c : f.culprits) {
    f.evidence.push_back(
        fmt::format("{} (pid {}) held the server's CPU: {}", c.comm, c.pid, ms_words(c.time)));
    c.what = "load generator";
  }
  for (std::string& line : runq_evidence(stats)) f.evidence.push_back(std::move(line));
  f.evidence.push_back(fmt::format("the load generator used {:.2f} CPUs, the target {:.2f}",
                                   ctx.facts.generator_cpus, ctx.facts.target_cpus));
  f.tries.push_back("run the load generator on other CPUs (taskset) or on another machine");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("the load generator held its CPU for {}", excess_words(stats));
}

}  // namespace

const Cause kRunqLoadGeneratorCause{.id = "runq-load-generator",
                                    .title = "run queue, behind the load generator",
                                    .doc = "waited for a CPU that the program making the load held",
                                    .claims = claims,
                                    .describe = describe,
                                    .innocent = innocent,
                                    .look_alikes = kLookAlikes};

}  // namespace srvprof
