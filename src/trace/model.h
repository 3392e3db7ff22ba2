// The model: what a recording means. Plain data, no I/O; built once by load_trace() (load.h) and then
// only read. Every picture and every claim of srvprof is a view of it.
//
// Indices: an Id is 1-based into the vector of the same name, 0 = none. All vectors of intervals and
// events are sorted by time. Times are CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "recording/rows.h"

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
  kStopped, kThrottled, kSteal, kRunqPreempt, kRunqWake, kIrq, kCpu, kBehind, kBlockedLock,
  kBlockedDisk, kBlockedFault, kBlockedPipe, kBlockedSleep, kDownstream, kPool, kBackpressure,
  kUnexplained,
};
inline constexpr std::size_t kStates = 17;

// "accept", "ready", ...; "runq.wake", "blocked.lock", "unexplained", ...
std::string_view name_of(LifePhase phase);
std::string_view name_of(State state);

// Who a tile is about.
struct Who {
  enum class Kind : std::uint8_t {
    kNone,      // not known: a behind or pool tile with this kind counts as unexplained in quality
    kIdle,      // runq: the CPU was idle (the wake-up itself took the time)
    kTask,      // tid: occupant of the CPU (runq), holder of the lock, sender of the stop, pool worker
    kRequest,   // RequestId: whose code ran (behind)
    kConn,      // ConnId: the outgoing connection that a reply is due on
    kTimer,     // behind: code of no request (timers, garbage collection on the loop, completion)
  };
  Kind kind = Kind::kNone;
  bool estimated = false;   // owner inferred, not observed
  std::uint32_t id = 0;
};

// A piece of a request's time. The tiles of a request follow each other without gap or overlap from
// t_arrive to t_done.
struct Tile {
  Time begin;
  Duration length{};
  LifePhase phase{};
  State state{};
  bool split_unknown = false;   // the rules could not follow the request here; state is kUnexplained
  State worker_state = State::kUnexplained;  // kPool: what the worker was doing (kCpu, kRunqWake, ...)
  Who who;
  ThreadId thread;              // whose timeline explains this tile, 0 = none
  std::uint32_t off = 0;        // 1-based index into thread.off of the interval behind it, 0 = none
};

struct Task {                   // any task of the machine that the recording names
  std::uint32_t tid = 0, pid = 0, parent = 0, flags = 0;  // flags: enum sp_task_flag
  std::int32_t nice = 0;
  std::uint64_t cgroup = 0;
  std::string comm;
};

struct Process {
  std::uint32_t pid = 0, ppid = 0;
  bool target = false;
  bool load_generator = false;  // owns the peer end of connections to the target, or was spawned as load
  std::string comm, exe, argv, cgroup;
};

// Off-CPU interval of a target thread. Blocked during [t_out, t_wake), runnable during [t_wake, t_in),
// of which throttled during [t_throttle, t_throttle_end). t_wake == t_out for a preempted thread.
struct OffInterval {
  Time t_out, t_wake, t_in;
  Time t_throttle, t_throttle_end;  // equal if not throttled
  std::uint32_t waker = 0, occupant = 0, sysnr = 0, flags = 0, steal_ns = 0;
  std::uint16_t cpu = 0;
  char state = 0;
  std::uint64_t kstack = 0, ustack = 0;
};

// What a thread does for a living, told by behaviour (later also by its runtime).
enum class ThreadRole : std::uint8_t { kUnknown, kLoop, kServing, kPoolWorker, kHelper };

// A socket event of a thread: from here on the thread works for `request` (0 = for none known).
struct OwnerChange {
  Time t;
  RequestId request;
  bool estimated = false;
};

struct Thread {
  std::uint32_t tid = 0, pid = 0, parent = 0;
  std::string comm;
  Time t_born, t_exit;              // zero = before attach / alive at detach
  ThreadRole role = ThreadRole::kUnknown;
  std::vector<OffInterval> off;     // sorted, disjoint
  std::vector<OwnerChange> owners;  // sorted
  bool known_from_start = true;     // its state was known from attach (or birth) on
  Time t_known;                     // from here on its timeline is complete
};

struct Conn {
  std::uint32_t id = 0;             // the recording's number
  std::uint32_t pid = 0;
  bool outgoing = false, unsampled = false, reset = false;
  std::uint32_t proto = 0;          // enum sp_proto
  Time t_open, t_accept, t_accept_low, t_close;
  std::string local_addr, remote_addr;
  std::uint16_t local_port = 0, remote_port = 0;
  std::uint32_t peer_pid = 0;       // process at the other end if on this machine, 0 = unknown
};

struct Request {
  ConnId conn;
  RouteId route;
  ThreadId reader, writer;          // threads of the first read and first write
  Time t_arrive, t_read, t_read_last;
  Time t_accepted;                  // first request: end of the accept wait; else t_arrive
  Time t_write;                     // first write of the final answer; t_done if there was none
  Time t_done;                      // return of the last write, or detach/abort
  std::uint64_t g = 0;
  std::uint32_t flags = 0;          // enum sp_request_flag
  std::uint32_t bytes_in = 0, bytes_out = 0, steal_ns = 0, min_flt = 0, maj_flt = 0;
  std::uint32_t since_open_ns = 0;
  std::uint16_t status = 0, n_read = 0, n_write = 0;
  bool first = false, censored = false, aborted = false, stream = false, pipelined = false;
  StringId path;

  Duration latency() const { return t_done - t_arrive; }
};

struct Exchange {
  ConnId conn;
  RequestId request;                // on whose behalf it was written, 0 = unknown
  ThreadId writer, reader;
  Time t_write, t_write_last, t_arrive, t_read, t_read_last;  // zero = not yet
  std::uint64_t g = 0;
  std::uint32_t flags = 0, bytes_out = 0, bytes_in = 0;
};

// Who held a CPU until t_end, while a target thread was queued there.
struct CpuSlice {
  Time t_end;
  std::uint32_t tid = 0;
};

enum class RuntimeModel : std::uint8_t { kEventLoop, kThreadPerRequest, kGoroutines };

struct Trace {
  Time t_begin, t_end;              // probes live .. detach
  std::map<std::string, std::string> meta;
  RuntimeModel model = RuntimeModel::kThreadPerRequest;

  std::vector<std::string> strings;         // by StringId; [0] is ""
  std::vector<std::string> routes;          // by RouteId, e.g. "GET /items/:id"; [0] is ""
  std::vector<Thread> threads;
  std::vector<Conn> conns;
  std::vector<Request> requests;            // by t_arrive
  std::vector<Exchange> exchanges;          // by t_write
  std::unordered_map<std::uint32_t, ThreadId> thread_by_tid;
  std::unordered_map<std::uint32_t, Task> tasks;          // by tid
  std::unordered_map<std::uint32_t, Process> processes;   // by pid
  std::vector<std::vector<CpuSlice>> slices;              // by CPU
  std::vector<std::vector<rows::Migrate>> migrations;     // by ThreadId - 1

  // Requests that are counted but not modelled (left out: in flight at attach).
  std::uint64_t left_out_at_attach = 0;
  std::vector<ExchangeId> exchanges_of_request_index;     // see exchanges_of()
  std::vector<std::uint32_t> exchanges_of_request_start;

  std::vector<rows::Sample> samples;
  std::unordered_map<std::uint64_t, rows::Stack> stacks;
  // Frames by (pid, pc), outermost inlined function last; pid 0 = kernel.
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<rows::Frame>> frames;

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
  std::vector<rows::Unsampled> unsampled;
  bool clean_end = false;
  std::string end_reason;
  std::vector<std::string> read_damage;     // what the reader had to skip, in words

  const Request& request(RequestId id) const { return requests[id.value - 1]; }
  const Thread& thread(ThreadId id) const { return threads[id.value - 1]; }
  const Conn& conn(ConnId id) const { return conns[id.value - 1]; }
  const Exchange& exchange(ExchangeId id) const { return exchanges[id.value - 1]; }
};

}  // namespace srvprof
