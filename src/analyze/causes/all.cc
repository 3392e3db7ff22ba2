// The order is the precedence: what stops everything comes first, the request's own doing last.
#include <algorithm>
#include <array>

#include "analyze/causes/list.h"

namespace srvprof {
namespace {

constexpr std::array kAll = {
    &kStoppedCause,         &kAcceptQueueCause,
    &kCpuQuotaCause,        &kStealCause,
    &kGcCause,              &kRunqOwnThreadsCause,
    &kRunqLoadGeneratorCause, &kObserverCause,
    &kRunqNeighbourCause,   &kBehindOtherRouteCause,
    &kBehindSameRouteCause, &kDownstreamCause,
    &kLockCause,            &kPageFaultCause,
    &kDiskCause,            &kSlowReaderCause,
    &kPoolCause,            &kHandlerCpuCause,
    &kSleepCause,           &kClientSideCause,
};

}  // namespace

std::span<const Cause* const> all_causes() { return kAll; }

const Cause* find_cause(std::string_view id) {
  const auto found =
      std::find_if(kAll.begin(), kAll.end(), [&](const Cause* c) { return c->id == id; });
  return found == kAll.end() ? nullptr : *found;
}

}  // namespace srvprof
