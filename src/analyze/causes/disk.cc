// Blocked on storage: fsync, a read that missed the page cache, dirty-page throttling.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"page-fault", "lock", "downstream", "cpu-quota"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kBlockedDisk;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "blocked on the disk";
  const std::string stack = stack_words(ctx.trace, stats);
  if (!stack.empty()) {
    f.title = fmt::format("blocked on the disk ({})", stack.substr(0, stack.find(' ')));
    f.evidence.push_back(fmt::format("kernel stack: {}", stack));
  }
  f.evidence.push_back(stalls_words(stats));
  f.tries.push_back(
      "keep synchronous file work off the serving thread; a faster device, fewer syncs");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} blocked on the disk", excess_words(stats));
}

}  // namespace

const Cause kDiskCause{.id = "disk",
                       .title = "blocked on the disk",
                       .doc = "blocked in the file system or on a block device",
                       .claims = claims,
                       .describe = describe,
                       .innocent = innocent,
                       .look_alikes = kLookAlikes};

}  // namespace srvprof
