// The request's own code ran longer.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/samples.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {
    "behind-other-route", "behind-same-route", "steal",
    "cpu-quota",          "page-fault",        "runq-neighbour", "gc"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kCpu;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "the handler's own CPU time";
  f.evidence.push_back(
      stats.of_body ? fmt::format("its own code ran {}", ms_words(stats.subject_mean))
                    : fmt::format("its own code ran {}, against {} in an ordinary request",
                                  ms_words(stats.subject_mean), ms_words(stats.baseline_mean)));
  const std::string samples = sample_words(ctx.trace, stats.tiles);
  if (!samples.empty()) f.evidence.push_back(samples);
  f.tries.push_back("see the flame graph of slow requests against ordinary ones");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("its own code ran {} longer", excess_words(stats));
}

}  // namespace

const Cause kHandlerCpuCause{.id = "handler-cpu",
                             .title = "the handler's own CPU time",
                             .doc = "the request's own code used more CPU",
                             .claims = claims,
                             .describe = describe,
                             .innocent = innocent,
                             .look_alikes = kLookAlikes};

}  // namespace srvprof
