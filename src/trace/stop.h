// Names for what a thread does: who stopped it, kinds of waits. Internal to src/trace.
#pragma once

#include "trace/timeline.h"

namespace srvprof {

// The sender of the signal, the tracer, or who froze the cgroup; kNone if that was not recorded.
Who who_stopped(const Trace& trace, const Thread& thread, const OffInterval& off);

// kRunqPreempt if the thread could have run on, kRunqWake if it had been woken.
State runq_state(const OffInterval& off);

// What a worker does in a piece of its timeline, as the state of a pool tile.
State worker_state_of(const Thread& thread, const Piece& piece);

}  // namespace srvprof
