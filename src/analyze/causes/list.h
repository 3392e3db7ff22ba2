// The causes, one a file. all.cc puts them in order.
#pragma once

#include "analyze/causes/cause.h"

namespace srvprof {

extern const Cause kStoppedCause;
extern const Cause kAcceptQueueCause;
extern const Cause kCpuQuotaCause;
extern const Cause kStealCause;
extern const Cause kRunqOwnThreadsCause;
extern const Cause kRunqLoadGeneratorCause;
extern const Cause kObserverCause;
extern const Cause kRunqNeighbourCause;
extern const Cause kGcCause;
extern const Cause kBehindOtherRouteCause;
extern const Cause kBehindSameRouteCause;
extern const Cause kDownstreamCause;
extern const Cause kLockCause;
extern const Cause kPageFaultCause;
extern const Cause kDiskCause;
extern const Cause kSlowReaderCause;
extern const Cause kPoolCause;
extern const Cause kHandlerCpuCause;
extern const Cause kSleepCause;
extern const Cause kClientSideCause;

}  // namespace srvprof
