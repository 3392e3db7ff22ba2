// The serving thread waited for a CPU that srvprof itself held: the measurement's own doing.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/causes/runq.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"runq-neighbour", "runq-load-generator", "cpu-quota"};

bool claims(const CauseContext& ctx, const Request&, const Tile& tile) {
  return occupant_of(ctx, tile) == Owner::kSelf;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "run queue, behind srvprof itself";
  f.culprits = culprits_by_process(ctx, stats);
  f.evidence = runq_evidence(stats);
  f.evidence.push_back("without the recording this part would not be there");
  f.tries.push_back(
      "leave srvprof a CPU that the server does not use (taskset), or fewer samples (-F)");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("srvprof held its CPU for {}", excess_words(stats));
}

}  // namespace

const Cause kObserverCause{.id = "observer",
                           .title = "run queue, behind srvprof itself",
                           .doc = "waited for a CPU that srvprof held: the probe effect",
                           .claims = claims,
                           .describe = describe,
                           .innocent = innocent,
                           .look_alikes = kLookAlikes};

}  // namespace srvprof
