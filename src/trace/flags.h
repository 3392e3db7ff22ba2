// The numbers of the recording's flag columns that the model and what stands on it need: the same
// as in the kernel side's records (a test compares them).
#pragma once

#include <cstdint>

namespace srvprof {

// Request::flags and Exchange::flags.
enum RequestFlag : std::uint32_t {
  kReqFirst = 1U << 0,        // first request of its connection
  kReqPreexisting = 1U << 1,  // in flight at attach
  kReqNoArrival = 1U << 2,    // arrival unknown, set to the read
  kReqPipelined = 1U << 3,    // shares its arrival with the request before it
  kReqAborted = 1U << 4,      // the peer reset or closed before the response was written
  kReqCensored = 1U << 5,     // in flight at detach
  kReqSendBlocked = 1U << 6,  // a write met a full send buffer
  kReqInterim = 1U << 7,      // a 1xx answer came before the final one
  kReqEarly = 1U << 8,        // body bytes were read after the response began
  kReqNoBytes = 1U << 9,      // the bytes of the head could not be read
  kReqClosed = 1U << 10,      // ended by the close of the connection
  kReqQueued = 1U << 11,      // bytes were left unread by the read before: arrival is theirs
};

enum OffFlag : std::uint32_t {
  kOffPreempted = 1U << 0,
  kOffThrottled = 1U << 1,
  kOffNew = 1U << 2,  // first time on CPU after the clone
  kOffMigrated = 1U << 3,
  kOffIowait = 1U << 4,
  kOffFromSyscall = 1U << 5,  // sysnr is a system call number
  kOffNoStart = 1U << 6,      // went off CPU before attach
};

// ClientOff::flags.
enum ClientOffFlag : std::uint32_t { kClientPreempted = 1U << 0, kClientThrottled = 1U << 1 };

enum ConnFlag : std::uint32_t {
  kConnOut = 1U << 0,
  kConnPreexisting = 1U << 1,
  kConnUnsampled = 1U << 2,
  kConnReset = 1U << 3,
  kConnPeerFirst = 1U << 4,
  kConnNeverAccepted = 1U << 5,
  kConnIpv6 = 1U << 6,
};

enum MarkKind : std::uint32_t {
  kMarkRead = 1,
  kMarkWrite = 2,
  kMarkOut = 4,
  kMarkOpaque = 8,
};

enum TaskFlag : std::uint32_t {
  kTaskTarget = 1U << 0,
  kTaskKthread = 1U << 1,
  kTaskBorn = 1U << 2,  // cloned now; parent is valid
  kTaskExec = 1U << 3,
  kTaskRenamed = 1U << 4,
  kTaskRt = 1U << 5,  // real-time priority
};

// ThreadState::run.
enum ThreadRun : std::uint32_t { kRunOnCpu = 1, kRunRunnable = 2, kRunBlocked = 3 };

}  // namespace srvprof
