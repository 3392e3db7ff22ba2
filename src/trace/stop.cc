#include "trace/stop.h"

#include <algorithm>

#include "trace/flags.h"

namespace srvprof {
namespace {

// SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU.
bool is_stop_signal(std::uint32_t signal) { return signal >= 19 && signal <= 22; }

State state_of_wait(Wait wait) {
  switch (wait) {
    case Wait::kFutex:
    case Wait::kKernelLock: return State::kBlockedLock;
    case Wait::kDisk: return State::kBlockedDisk;
    case Wait::kFault: return State::kBlockedFault;
    case Wait::kPipe: return State::kBlockedPipe;
    case Wait::kSleep: return State::kBlockedSleep;
    case Wait::kSocket:
    case Wait::kConnect:
    case Wait::kEvents:
    case Wait::kSend: return State::kDownstream;
    case Wait::kStopped: return State::kStopped;
    default: return State::kUnexplained;
  }
}

Who task(std::uint32_t tid) {
  return {.kind = tid != 0 ? Who::Kind::kTask : Who::Kind::kNone, .estimated = false, .id = tid};
}

}  // namespace

Who who_stopped(const Trace& trace, const Thread& thread, const OffInterval& off) {
  if (off.state == 't') return task(off.waker);  // whoever let it go on is its tracer
  Time at;
  Who who;
  for (const rows::Signal& s : trace.signals) {
    if (s.t > off.t_out) break;
    const ThreadId receiver = [&] {
      const auto it = trace.thread_by_tid.find(s.tid);
      return it == trace.thread_by_tid.end() ? ThreadId{} : it->second;
    }();
    const bool ours = s.tid == thread.pid || (receiver && trace.thread(receiver).pid == thread.pid);
    if (!ours || !is_stop_signal(s.signal)) continue;
    who = task(s.sender_tid != 0 ? s.sender_tid : s.sender_pid);
    at = s.t;
  }
  if (off.state == 'T') return who;
  for (const rows::Freeze& f : trace.freezes) {
    if (f.t > off.t_out) break;
    if (f.frozen && f.t > at) who = task(f.pid);
  }
  return who;
}

State runq_state(const OffInterval& off) {
  return (off.flags & kOffPreempted) != 0 ? State::kRunqPreempt : State::kRunqWake;
}

State worker_state_of(const Thread& thread, const Piece& piece) {
  switch (piece.run) {
    case Run::kOn: return State::kCpu;
    case Run::kRunnable: return runq_state(thread.off[piece.off - 1]);
    case Run::kThrottled: return State::kThrottled;
    case Run::kBlocked: return state_of_wait(thread.off[piece.off - 1].wait);
    case Run::kUnknown: break;
  }
  return State::kUnexplained;
}

}  // namespace srvprof
