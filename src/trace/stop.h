// Who stopped a thread, and kinds of run-queue waits. Internal to src/trace.
#pragma once

#include "trace/model.h"

namespace srvprof {

// The sender of the signal, the tracer, or who froze the cgroup; kNone if that was not recorded.
Who who_stopped(const Trace& trace, const Thread& thread, const OffInterval& off);

// kRunqPreempt if the thread could have run on, kRunqWake if it had been woken.
State runq_state(const OffInterval& off);

}  // namespace srvprof
