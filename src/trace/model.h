// The model: what a recording means. Plain data, no I/O; built once by load_trace() (load.h) and
// then only read. Every picture and every claim of srvprof is a view of it.
//
// Indices: an Id is 1-based into the vector of the same name, 0 = none. All vectors of intervals
// and events are sorted by time. Times are CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "recording/rows.h"
#include "trace/client.h"

namespace srvprof {

struct RouteTag;
struct RequestTag;
struct ExchangeTag;
struct ConnTag;
struct ThreadTag;
using RouteId = Id<RouteTag>;
using RequestId = Id<RequestTag>;
using ExchangeId = Id<ExchangeTag>;
using ConnId = Id<ConnTag>;
using ThreadId = Id<ThreadTag>;

// Where in its life a request is (ARCHITECTURE: the phase axis of the ledger).
enum class LifePhase : std::uint8_t { kAccept, kReady, kService, kWrite };
inline constexpr std::size_t kLifePhases = 4;

// What was going on (the state axis), in order of precedence.
enum class State : std::uint8_t {
  kStopped,
  kThrottled,
  kSteal,
  kRunqPreempt,
  kRunqWake,
  kIrq,
  kCpu,
  kBehind,
  kBlockedLock,
  kBlockedDisk,
  kBlockedFault,
  kBlockedPipe,
  kBlockedSleep,
  kDownstream,
  kPool,
  kBackpressure,
  kUnexplained,
};
inline constexpr std::size_t kStates = 17;

// "accept", "ready", ...; "runq.wake", "blocked.lock", "unexplained", ...
std::string_view name_of(LifePhase phase);
std::string_view name_of(State state);

// Who a tile is about.
struct Who {
  enum class Kind : std::uint8_t {
    kNone,  // not known: a behind or pool tile with this kind counts as unexplained in quality
    kIdle,  // runq: the CPU was idle (the wake-up itself took the time)
    kTask,  // tid: occupant of the CPU (runq), holder of the lock, sender of the stop, pool worker,
            // tracer (ptrace)
    kRequest,  // RequestId: whose code ran (behind)
    kConn,     // ConnId: the outgoing connection that a reply is due on; behind: a connection whose
               // protocol is not HTTP/1; unexplained: the request's own, whose body was still due
    kTimer,    // behind: code of no request (timers, garbage collection on the loop, completion)
    kUnsampled,  // behind: a request that is not modelled (left out by the governor or at attach)
  };
  Kind kind = Kind::kNone;
  bool estimated = false;  // owner inferred, not observed
  std::uint32_t id = 0;
};

// What a garbage collection did to a piece of time. Lies over the states and is not summed with them.
enum class GcShare : std::uint8_t {
  kNone,
  kStop,    // the collector had stopped the thread: a pause, a slice of incremental work
  kAssist,  // the request's own goroutine helped the collector
  kHelpers,  // its thread waited for a CPU that the collector's own helpers held, during a pause
};
inline constexpr std::size_t kGcShares = 3;  // without kNone

// A piece of a request's time. The tiles of a request follow each other without gap or overlap from
// t_arrive to t_done.
struct Tile {
  Time begin;
  Duration length{};
  LifePhase phase{};
  State state{};
  bool split_unknown = false;  // the rules could not follow the request here; state is kUnexplained
  // kPool: what the worker was doing (kCpu, kRunqWake, ...). kBehind: what the thread was blocked
  // in while it worked for the other request (kBlockedLock, ...), kUnexplained if it ran.
  State worker_state = State::kUnexplained;
  Who who;
  ThreadId thread;        // whose timeline explains this tile, 0 = none
  std::uint32_t off = 0;  // 1-based index into thread.off of the interval behind it, 0 = none
  // Behind the queue that a stall of the thread left: 1-based index into thread.stalls, 0 = no
  // echo. Causes charge such a tile to the stall (its state and who), not to the code that ran.
  std::uint32_t echo_of = 0;
  GcShare gc = GcShare::kNone;
  std::uint32_t span = 0;  // of gc: 1-based index into Trace::spans
};

// A time in which a collection kept a thread, or all threads of a process, from their own work.
struct GcInterval {
  Time begin, end;
  GcShare share{};
  std::uint32_t span = 0;  // 1-based index into Trace::spans
  std::uint32_t tid = 0;   // the thread that collected
};

struct Task {  // any task of the machine that the recording names
  std::uint32_t tid = 0, pid = 0, parent = 0, flags = 0;  // flags: enum sp_task_flag
  std::int32_t nice = 0;
  std::uint64_t cgroup = 0;
  std::string comm;
};

struct Process {
  std::uint32_t pid = 0, ppid = 0;
  bool target = false;
  bool load_generator =
      false;  // owns the peer end of connections to the target, or was spawned as load
  std::string comm, exe, argv, cgroup;
};

// What a thread waited for while blocked: told by its kernel stack if there is one, else by its
// system call and state.
enum class Wait : std::uint8_t {
  kNone,  // it was not blocked
  kUnknown,
  kEvents,  // epoll, poll, select, io_uring: where event loops idle
  kAccept,
  kSocket,  // receiving from a socket
  kSend,    // send buffer full
  kConnect,
  kFutex,
  kKernelLock,  // a lock inside the kernel (mmap_lock, inode), a file lock
  kDisk,
  kFault,  // page fault
  kPipe,   // pipe or Unix socket
  kSleep,
  kStopped,  // SIGSTOP, ptrace, freezer
};

// Off-CPU interval of a target thread. Blocked during [t_out, t_wake), runnable during [t_wake,
// t_in), of which throttled during [t_throttle, t_throttle_end). t_wake == t_out for a preempted
// thread.
struct OffInterval {
  Time t_out, t_wake, t_in;
  Time t_throttle, t_throttle_end;  // equal if not throttled
  std::uint32_t waker = 0, occupant = 0, sysnr = 0, flags = 0, steal_ns = 0;
  std::uint16_t cpu = 0;
  char state = 0;
  Wait wait = Wait::kNone;
  // Waiting for work to come, not for something that the request in hand needs: an event loop in
  // epoll, a worker that waits for its next job.
  bool idle = false;
  std::uint64_t kstack = 0, ustack = 0;
};

std::string_view name_of(Wait wait);

// What a thread does for a living, told by behaviour, and by what its runtime calls it (meta "role.*",
// see roles.cc).
enum class ThreadRole : std::uint8_t {
  kUnknown,
  kLoop,
  kServing,
  kPoolWorker,
  kHelper,
  kCollector,  // helps to collect garbage, perhaps among other things
  kCompiler,
  kMonitor,
};
std::string_view name_of(ThreadRole role);  // "loop", "serving", "pool worker", ...

// From here on the thread works for `request`. Changes lie at socket events; where a thread idles
// (kIdle, from its switch-out), and where it is woken: from then on it works for what its next
// socket event is about, or for nothing known (kTimer) if it idles again before there is one.
struct OwnerChange {
  enum class Kind : std::uint8_t {
    kIdle,   // waits for work
    kTimer,  // runs code of no known request
    kRequest,
    kConn,       // `conn`: a connection that carries no HTTP/1, or an exchange of no known request
    kUnsampled,  // a request that is not modelled
  };
  Time t;
  RequestId request;
  ConnId conn;
  Kind kind = Kind::kTimer;
  bool estimated = false;  // told by what came next, or by elimination; not observed
};

// A time in which a thread was not allowed to run for 1 ms or longer (stopped, throttled, on a run
// queue) although it was not idle or had been woken, or in which it collected garbage; and how long its
// queue took to drain.
struct Stall {
  Time begin, end;
  Time echo_end;  // until then the thread worked off what had arrived meanwhile; == end: nothing
  State state{};  // kStopped, kThrottled, kRunqPreempt or kRunqWake
  Who who;        // who held the CPU for most of it, who stopped it
  std::uint32_t off = 0;   // 1-based index into thread.off, 0: it was a collection
  std::uint32_t span = 0;  // the collection: 1-based index into Trace::spans; state is kCpu
};

// Interrupt time on top of a thread, only if it was recorded.
struct IrqSpan {
  Time begin, end;
  std::uint32_t vector = 0;
  bool softirq = false;
};

struct Thread {
  std::uint32_t tid = 0, pid = 0, parent = 0;
  std::string comm;
  Time t_born, t_exit;  // zero = before attach / alive at detach
  ThreadRole role = ThreadRole::kUnknown;
  std::string role_words;  // the runtime's: "V8 GC and compiler worker", may be empty
  std::vector<OffInterval> off;     // sorted, disjoint
  std::vector<OwnerChange> owners;  // sorted
  std::vector<Stall> stalls;        // sorted, disjoint
  std::vector<IrqSpan> irqs;        // sorted, disjoint
  std::vector<GcInterval> gc;       // of this thread alone; sorted, disjoint
  std::vector<ThreadId> children;   // threads that it cloned during the recording, by birth
  ThreadId earlier;                 // an earlier thread with the same tid
  bool known_from_start = true;     // its state was known from attach (or birth) on
  Time t_known;                     // from here on its timeline is complete
};

struct Conn {
  std::uint32_t id = 0;  // the recording's number
  std::uint32_t pid = 0;
  bool outgoing = false, unsampled = false, reset = false;
  std::uint32_t proto = 0;  // enum sp_proto
  Time t_open, t_accept, t_accept_low, t_close;
  std::string local_addr, remote_addr;
  std::uint16_t local_port = 0, remote_port = 0;
  std::uint32_t peer_pid = 0;  // process at the other end if on this machine, 0 = unknown
};

struct Request {
  ConnId conn;
  RouteId route;
  ThreadId reader, writer;  // threads of the first read and first write
  Time t_arrive;
  // Return of the first read by what serves it. (Go's background read of one byte is none: until
  // the serving goroutine reads, the request is unread.)
  Time t_read, t_read_last;
  Time t_accepted;  // first request: end of the accept wait; else t_arrive
  Time t_write;     // first write of the final answer; t_done if there was none
  Time t_done;      // return of the last write, or detach/abort
  std::uint64_t g = 0;
  std::uint32_t flags = 0;  // enum sp_request_flag
  std::uint32_t bytes_in = 0, bytes_out = 0, steal_ns = 0, min_flt = 0, maj_flt = 0;
  std::uint32_t since_open_ns = 0;
  std::uint16_t status = 0, n_read = 0, n_write = 0;
  bool first = false, censored = false, aborted = false, stream = false, pipelined = false;
  bool path_cut = false;
  bool background_read = false;  // Go took the first byte before
  StringId path;
  RequestId previous;  // on the same connection

  Duration latency() const { return t_done - t_arrive; }
};

struct Exchange {
  ConnId conn;
  RequestId request;  // on whose behalf it was written, 0 = unknown
  ThreadId writer, reader;
  Time t_write, t_write_last, t_arrive, t_read, t_read_last;  // zero = not yet
  std::uint64_t g = 0;
  std::uint32_t flags = 0, bytes_out = 0, bytes_in = 0;
  ExchangeId previous;  // on the same connection
};

// A socket event of a request besides its first and last ones, see rows::Mark.
struct RequestMark {
  RequestId request;
  Time t;
  ThreadId thread;
};

// Who held a CPU until t_end, while a target thread was queued there.
struct CpuSlice {
  Time t_end;
  std::uint32_t tid = 0;
};

enum class RuntimeModel : std::uint8_t { kEventLoop, kThreadPerRequest, kGoroutines };
std::string_view name_of(RuntimeModel model);  // "event loop", "thread per request", "goroutines"

// What Frame rows are found by: an address of a process (pid 0 = kernel), and the frame's hint (rows::Stack).
struct FrameKey {
  std::uint32_t pid = 0;
  std::uint64_t pc = 0, hint = 0;
  auto operator<=>(const FrameKey&) const = default;
};

struct Trace {
  Time t_begin, t_end;  // probes live .. detach
  std::map<std::string, std::string> meta;
  RuntimeModel model = RuntimeModel::kThreadPerRequest;

  std::vector<std::string> strings;  // by StringId; [0] is ""
  std::vector<std::string> routes;   // by RouteId, e.g. "GET /items/:id"; [0] is ""
  std::vector<Thread> threads;
  std::vector<Conn> conns;
  std::vector<Request> requests;    // by t_arrive
  std::vector<Exchange> exchanges;  // by t_write
  std::unordered_map<std::uint32_t, ThreadId> thread_by_tid;
  std::unordered_map<std::uint32_t, Task> tasks;         // by tid
  std::unordered_map<std::uint32_t, Process> processes;  // by pid
  std::vector<std::vector<CpuSlice>> slices;             // by CPU
  std::vector<std::vector<rows::Migrate>> migrations;    // by ThreadId - 1

  // Requests that are counted but not modelled (left out: in flight at attach).
  std::uint64_t left_out_at_attach = 0;
  std::uint64_t orphan_exchanges = 0;                  // written on behalf of no known request
  std::vector<ExchangeId> exchanges_of_request_index;  // see exchanges_of()
  std::vector<std::uint32_t> exchanges_of_request_start;
  std::vector<RequestMark> marks;  // by request, then by time
  // Goroutines, by RouteId: requests of this route as a rule run from read to write without
  // stopping (but for replies that are due). One that did stop was then kept from running.
  std::vector<bool> route_runs_through;
  std::unordered_map<std::uint32_t, std::vector<ThreadId>>
      threads_of_pid;  // without short-lived ones
  // Threads that work off jobs of a process' event loops (kPoolWorker); lanes that they clone are
  // their children.
  std::unordered_map<std::uint32_t, std::vector<ThreadId>> pool_of_pid;

  std::vector<rows::Sample> samples;
  std::unordered_map<std::uint64_t, rows::Stack> stacks;
  // Outermost inlined function last.
  std::map<FrameKey, std::vector<rows::Frame>> frames;

  std::vector<rows::Clock> clocks;
  std::vector<rows::CpuUse> cpu_use;
  std::vector<rows::Loss> losses;
  std::vector<rows::Capability> capabilities;
  std::vector<rows::OwnCost> own_cost;
  std::vector<rows::Governor> governor;
  std::vector<rows::Counter> counters;
  std::vector<rows::PhaseMark> phase_marks;
  std::vector<rows::Listener> listeners;
  std::vector<rows::CgroupCpu> cgroup_cpu;
  std::vector<rows::Signal> signals;
  std::vector<rows::Freeze> freezes;
  std::vector<rows::Load> loads;
  std::vector<rows::Span> spans;
  std::unordered_map<std::uint32_t, std::vector<GcInterval>> gc_of_pid;  // that stop all its threads
  std::unordered_map<std::uint64_t, std::vector<GcInterval>> gc_of_g;    // assists by goroutine
  std::vector<rows::Unsampled> unsampled;
  ClientSide client;  // the load generator's side, empty if it was not traced
  bool clean_end = false;
  std::string end_reason;
  std::vector<std::string> read_damage;  // what the reader had to skip, in words

  const Request& request(RequestId id) const { return requests[id.value - 1]; }
  const Thread& thread(ThreadId id) const { return threads[id.value - 1]; }
  const Conn& conn(ConnId id) const { return conns[id.value - 1]; }
  const Exchange& exchange(ExchangeId id) const { return exchanges[id.value - 1]; }
};

}  // namespace srvprof
