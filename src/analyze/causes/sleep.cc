// The serving thread slept on purpose.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"lock", "downstream", "stopped", "cpu-quota"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kBlockedSleep;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "the serving thread slept";
  f.evidence.push_back(stalls_words(stats));
  const std::string stack = stack_words(ctx.trace, stats);
  if (!stack.empty()) f.evidence.push_back(fmt::format("kernel stack: {}", stack));
  f.tries.push_back("find the sleep, back-off or poll in the handler: nothing held this thread");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} asleep on purpose", excess_words(stats));
}

}  // namespace

const Cause kSleepCause{.id = "sleep",
                        .title = "the serving thread slept",
                        .doc = "the thread called sleep or waited for a timer",
                        .claims = claims,
                        .describe = describe,
                        .innocent = innocent,
                        .look_alikes = kLookAlikes};

}  // namespace srvprof
