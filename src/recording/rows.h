// The tables of a recording: one struct a table, one `fields` list a struct. The list drives the
// binary codec, the text form and the documentation of FORMAT.md, so a column is added in one place.
// Rules: columns are only ever appended to a struct; a reader that is older skips what it does not
// know and a reader that is newer sees zeros. Times are CLOCK_MONOTONIC; a zero Time is "not known".
// pid and tid have the user's meaning, in the initial pid namespace of the recording machine.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/time.h"

namespace srvprof {

// Numbers of the tables in the file; append-only.
enum class Table : std::uint16_t {
  kMeta = 1, kClock = 2, kProcess = 3, kTask = 4, kTaskExit = 5, kConn = 6, kConnClose = 7,
  kRequest = 8, kExchange = 9, kMark = 10, kOffCpu = 11, kSlice = 12, kMigrate = 13, kSample = 14,
  kStack = 15, kFrame = 16, kMapping = 17, kCpuUse = 18, kLoss = 19, kCapability = 20, kOwnCost = 21,
  kGovernor = 22, kCounter = 23, kPhaseMark = 24, kListener = 25, kCgroupCpu = 26, kSignal = 27,
  kFreeze = 28, kThreadState = 29, kUnsampled = 30, kIrq = 31, kEnd = 32, kLoad = 33, kSpan = 34,
  kClientConn = 35, kClientExchange = 36, kClientOff = 37,
};

namespace rows {

template <class Row, class T>
struct Field {
  std::string_view name;
  T Row::*member;
};
template <class Row, class T>
constexpr Field<Row, T> field(std::string_view name, T Row::*member) {
  return {name, member};
}

// Facts about the run, as key and value: "target.pid", "target.comm", "target.exe", "target.argv",
// "host.kernel", "host.cpus", "srvprof.version", "srvprof.command", "mode", "option.<name>",
// "target.cgroup.cpu", "target.cpus", "target.runtime", ... see FORMAT.md.
struct Meta {
  static constexpr Table kTable = Table::kMeta;
  std::string key, value;
  static constexpr auto fields = std::tuple(field("key", &Meta::key), field("value", &Meta::value));
};

// The same instant on two clocks, taken at start, every second and at the end.
struct Clock {
  static constexpr Table kTable = Table::kClock;
  Time t;
  std::uint64_t realtime_ns = 0;
  static constexpr auto fields =
      std::tuple(field("t", &Clock::t), field("realtime_ns", &Clock::realtime_ns));
};

// A process: the targets, and every other process that a row names.
struct Process {
  static constexpr Table kTable = Table::kProcess;
  Time t;
  std::uint32_t pid = 0, ppid = 0;
  bool target = false;
  std::string comm, exe, argv, cgroup;
  static constexpr auto fields =
      std::tuple(field("t", &Process::t), field("pid", &Process::pid), field("ppid", &Process::ppid),
                 field("target", &Process::target), field("comm", &Process::comm),
                 field("exe", &Process::exe), field("argv", &Process::argv),
                 field("cgroup", &Process::cgroup));
};

// A thread as seen at `t` (flags: enum sp_task_flag). Later rows of the same tid replace earlier ones.
struct Task {
  static constexpr Table kTable = Table::kTask;
  Time t;
  std::uint32_t tid = 0, pid = 0, parent = 0, flags = 0;
  std::uint64_t cgroup = 0;
  std::int32_t nice = 0;
  std::string comm;
  static constexpr auto fields =
      std::tuple(field("t", &Task::t), field("tid", &Task::tid), field("pid", &Task::pid),
                 field("parent", &Task::parent), field("flags", &Task::flags),
                 field("cgroup", &Task::cgroup), field("nice", &Task::nice), field("comm", &Task::comm));
};

struct TaskExit {
  static constexpr Table kTable = Table::kTaskExit;
  Time t;
  std::uint32_t tid = 0, pid = 0;
  static constexpr auto fields = std::tuple(field("t", &TaskExit::t), field("tid", &TaskExit::tid),
                                            field("pid", &TaskExit::pid));
};

// A TCP connection (flags: enum sp_conn_flag, proto: enum sp_proto). Addresses are text without port.
struct Conn {
  static constexpr Table kTable = Table::kConn;
  Time t_open;        // established; zero = before attach
  Time t_accept;      // upper bound of the accept; zero = not seen
  Time t_accept_low;  // lower bound of the accept; zero = not seen
  std::uint32_t id = 0, pid = 0, tid = 0, flags = 0, proto = 0;
  std::uint32_t local_port = 0, remote_port = 0;
  std::string local_addr, remote_addr;
  static constexpr auto fields = std::tuple(
      field("t_open", &Conn::t_open), field("t_accept", &Conn::t_accept),
      field("t_accept_low", &Conn::t_accept_low), field("id", &Conn::id), field("pid", &Conn::pid),
      field("tid", &Conn::tid), field("flags", &Conn::flags), field("proto", &Conn::proto),
      field("local_port", &Conn::local_port), field("remote_port", &Conn::remote_port),
      field("local_addr", &Conn::local_addr), field("remote_addr", &Conn::remote_addr));
};

struct ConnClose {
  static constexpr Table kTable = Table::kConnClose;
  Time t;
  std::uint32_t id = 0, flags = 0, requests = 0;
  std::uint64_t bytes_in = 0, bytes_out = 0;
  static constexpr auto fields =
      std::tuple(field("t", &ConnClose::t), field("id", &ConnClose::id),
                 field("flags", &ConnClose::flags), field("requests", &ConnClose::requests),
                 field("bytes_in", &ConnClose::bytes_in), field("bytes_out", &ConnClose::bytes_out));
};

// One request and its response (flags: enum sp_request_flag). method and path come from the first
// line; the path has lost its query string unless meta option.keep-query is 1. path_cut: the first
// line was longer than what is kept.
struct Request {
  static constexpr Table kTable = Table::kRequest;
  Time t_arrive, t_read, t_read_last, t_write, t_write_last;
  std::uint32_t conn = 0, tid_read = 0, tid_write = 0, flags = 0, status = 0;
  std::uint32_t bytes_in = 0, bytes_out = 0, n_read = 0, n_write = 0;
  std::uint32_t steal_ns = 0, min_flt = 0, maj_flt = 0;
  std::uint64_t g = 0;
  std::uint32_t since_open_ns = 0;
  bool path_cut = false;
  std::string method, path;
  static constexpr auto fields = std::tuple(
      field("t_arrive", &Request::t_arrive), field("t_read", &Request::t_read),
      field("t_read_last", &Request::t_read_last), field("t_write", &Request::t_write),
      field("t_write_last", &Request::t_write_last), field("conn", &Request::conn),
      field("tid_read", &Request::tid_read), field("tid_write", &Request::tid_write),
      field("flags", &Request::flags), field("status", &Request::status),
      field("bytes_in", &Request::bytes_in), field("bytes_out", &Request::bytes_out),
      field("n_read", &Request::n_read), field("n_write", &Request::n_write),
      field("steal_ns", &Request::steal_ns), field("min_flt", &Request::min_flt),
      field("maj_flt", &Request::maj_flt), field("g", &Request::g),
      field("since_open_ns", &Request::since_open_ns), field("path_cut", &Request::path_cut),
      field("method", &Request::method), field("path", &Request::path));
};

// One question and its reply on an outgoing connection (flags: enum sp_request_flag).
struct Exchange {
  static constexpr Table kTable = Table::kExchange;
  Time t_write, t_write_last, t_arrive, t_read, t_read_last;
  std::uint32_t conn = 0, tid_write = 0, tid_read = 0, flags = 0, bytes_out = 0, bytes_in = 0;
  std::uint64_t g = 0;
  static constexpr auto fields = std::tuple(
      field("t_write", &Exchange::t_write), field("t_write_last", &Exchange::t_write_last),
      field("t_arrive", &Exchange::t_arrive), field("t_read", &Exchange::t_read),
      field("t_read_last", &Exchange::t_read_last), field("conn", &Exchange::conn),
      field("tid_write", &Exchange::tid_write), field("tid_read", &Exchange::tid_read),
      field("flags", &Exchange::flags), field("bytes_out", &Exchange::bytes_out),
      field("bytes_in", &Exchange::bytes_in), field("g", &Exchange::g));
};

// A socket event between the first and the last one of a request or exchange, or on a connection
// that carries no HTTP/1 (kind: enum sp_mark_kind).
struct Mark {
  static constexpr Table kTable = Table::kMark;
  Time t;
  std::uint32_t tid = 0, conn = 0, kind = 0, bytes = 0;
  std::uint64_t g = 0;
  static constexpr auto fields =
      std::tuple(field("t", &Mark::t), field("tid", &Mark::tid), field("conn", &Mark::conn),
                 field("kind", &Mark::kind), field("bytes", &Mark::bytes), field("g", &Mark::g));
};

// A target thread was off CPU during [t_out, t_in) and runnable during [t_wake, t_in); t_wake is zero
// if it was never blocked (preempted, throttled). throttled_ns lie at the start of the runnable part
// (FORMAT.md). steal: of the CPU during the stint on CPU that ended at t_out. occupant: the task that
// held the CPU at t_in (0 = idle). flags: enum sp_off_flag.
struct OffCpu {
  static constexpr Table kTable = Table::kOffCpu;
  Time t_out, t_wake, t_in;
  std::uint32_t tid = 0, cpu = 0, waker = 0, occupant = 0, state = 0, sysnr = 0, flags = 0;
  std::uint32_t steal_ns = 0, min_flt = 0, maj_flt = 0;
  std::uint64_t throttled_ns = 0, kstack = 0, ustack = 0;
  static constexpr auto fields = std::tuple(
      field("t_out", &OffCpu::t_out), field("t_wake", &OffCpu::t_wake), field("t_in", &OffCpu::t_in),
      field("tid", &OffCpu::tid), field("cpu", &OffCpu::cpu), field("waker", &OffCpu::waker),
      field("occupant", &OffCpu::occupant), field("state", &OffCpu::state),
      field("sysnr", &OffCpu::sysnr), field("flags", &OffCpu::flags),
      field("steal_ns", &OffCpu::steal_ns), field("min_flt", &OffCpu::min_flt),
      field("maj_flt", &OffCpu::maj_flt), field("throttled_ns", &OffCpu::throttled_ns),
      field("kstack", &OffCpu::kstack), field("ustack", &OffCpu::ustack));
};

// `tid` held `cpu` until `t_end`, while a target thread was queued there. Its slice began at the
// slice before it on that CPU, or before the wait began.
struct Slice {
  static constexpr Table kTable = Table::kSlice;
  Time t_end;
  std::uint32_t cpu = 0, tid = 0;
  static constexpr auto fields = std::tuple(field("t_end", &Slice::t_end), field("cpu", &Slice::cpu),
                                            field("tid", &Slice::tid));
};

struct Migrate {
  static constexpr Table kTable = Table::kMigrate;
  Time t;
  std::uint32_t tid = 0, from_cpu = 0, to_cpu = 0;
  static constexpr auto fields = std::tuple(field("t", &Migrate::t), field("tid", &Migrate::tid),
                                            field("from_cpu", &Migrate::from_cpu),
                                            field("to_cpu", &Migrate::to_cpu));
};

// A target thread was on CPU at a sampling tick. kstack/ustack are hashes of Stack rows, 0 = none.
struct Sample {
  static constexpr Table kTable = Table::kSample;
  Time t;
  std::uint32_t tid = 0, cpu = 0;
  std::uint64_t kstack = 0, ustack = 0;
  static constexpr auto fields =
      std::tuple(field("t", &Sample::t), field("tid", &Sample::tid), field("cpu", &Sample::cpu),
                 field("kstack", &Sample::kstack), field("ustack", &Sample::ustack));
};

// Frames of a stack, innermost first, as addresses. pid 0 = kernel. hints: one a frame, what the frame
// itself says of its function (V8: the SharedFunctionInfo, JSC: the executable; 0 = nothing), empty where
// no frame has one. end: how the walk ended: 0 = not known, 1 = at a thread's outermost frame, 2 = broken,
// 3 = more frames than are kept.
struct Stack {
  static constexpr Table kTable = Table::kStack;
  std::uint64_t hash = 0;
  std::uint32_t pid = 0;
  std::vector<std::uint64_t> pcs;
  std::vector<std::uint64_t> hints{};
  std::uint32_t end = 0;
  static constexpr auto fields = std::tuple(field("hash", &Stack::hash), field("pid", &Stack::pid),
                                            field("pcs", &Stack::pcs), field("hints", &Stack::hints),
                                            field("end", &Stack::end));
};

// What an address means. depth > 0: function inlined at this address, outermost has the highest depth.
// source: which symbol source answered ("elf", "kallsyms", "perf-map", "module", ...).
struct Frame {
  static constexpr Table kTable = Table::kFrame;
  std::uint32_t pid = 0, depth = 0, line = 0;
  std::uint64_t pc = 0, module_offset = 0;
  std::string function, module, file, source;
  std::uint64_t hint = 0;  // of the frame, see Stack: the same pc with another hint is another function
  static constexpr auto fields = std::tuple(
      field("pid", &Frame::pid), field("pc", &Frame::pc), field("depth", &Frame::depth),
      field("function", &Frame::function), field("module", &Frame::module),
      field("module_offset", &Frame::module_offset), field("file", &Frame::file),
      field("line", &Frame::line), field("source", &Frame::source), field("hint", &Frame::hint));
};

struct Mapping {
  static constexpr Table kTable = Table::kMapping;
  std::uint32_t pid = 0;
  std::uint64_t start = 0, end = 0, offset = 0;
  std::string path, build_id;
  static constexpr auto fields =
      std::tuple(field("pid", &Mapping::pid), field("start", &Mapping::start),
                 field("end", &Mapping::end), field("offset", &Mapping::offset),
                 field("path", &Mapping::path), field("build_id", &Mapping::build_id));
};

// CPU that a process used since the row before of the same pid (whole machine, once a second), and the
// time its threads spent queued for a CPU. Processes below 0.1 % of a CPU are summed as pid 0.
struct CpuUse {
  static constexpr Table kTable = Table::kCpuUse;
  Time t;
  std::uint32_t pid = 0;
  std::string comm;
  std::uint64_t cpu_ns = 0, runq_ns = 0, interval_ns = 0;
  static constexpr auto fields =
      std::tuple(field("t", &CpuUse::t), field("pid", &CpuUse::pid), field("comm", &CpuUse::comm),
                 field("cpu_ns", &CpuUse::cpu_ns), field("runq_ns", &CpuUse::runq_ns),
                 field("interval_ns", &CpuUse::interval_ns));
};

// `count` things were lost for `reason` (text of enum sp_loss, or of the collector) in (t_from, t_to].
struct Loss {
  static constexpr Table kTable = Table::kLoss;
  Time t_from, t_to;
  std::string reason;
  std::uint64_t count = 0;
  static constexpr auto fields =
      std::tuple(field("t_from", &Loss::t_from), field("t_to", &Loss::t_to),
                 field("reason", &Loss::reason), field("count", &Loss::count));
};

// A probe or source of facts: in use or not, and why not. name e.g. "tp_btf/sched_switch",
// "stacks.user", "symbols.kernel", "irq", "request.arrival".
struct Capability {
  static constexpr Table kTable = Table::kCapability;
  std::string name;
  bool used = false;
  std::string detail;  // why not, or a limit that holds although it is used
  static constexpr auto fields =
      std::tuple(field("name", &Capability::name), field("used", &Capability::used),
                 field("detail", &Capability::detail));
};

// What srvprof itself has cost so far. bpf_* are of a sampled window (<= 5 % of the time): the totals
// are scaled by window_ns / sampled_ns by the analysis, not here.
struct OwnCost {
  static constexpr Table kTable = Table::kOwnCost;
  Time t;
  std::uint64_t cpu_ns = 0, rss_bytes = 0, ring_bytes = 0, ring_peak = 0, ring_size = 0;
  std::uint64_t bpf_run_ns = 0, bpf_runs = 0, bpf_sampled_ns = 0, file_bytes = 0;
  static constexpr auto fields = std::tuple(
      field("t", &OwnCost::t), field("cpu_ns", &OwnCost::cpu_ns),
      field("rss_bytes", &OwnCost::rss_bytes), field("ring_bytes", &OwnCost::ring_bytes),
      field("ring_peak", &OwnCost::ring_peak), field("ring_size", &OwnCost::ring_size),
      field("bpf_run_ns", &OwnCost::bpf_run_ns), field("bpf_runs", &OwnCost::bpf_runs),
      field("bpf_sampled_ns", &OwnCost::bpf_sampled_ns), field("file_bytes", &OwnCost::file_bytes));
};

// From `t` on, one in `one_in` new connections is recorded in full.
struct Governor {
  static constexpr Table kTable = Table::kGovernor;
  Time t;
  std::uint32_t one_in = 1;
  std::string reason;
  static constexpr auto fields =
      std::tuple(field("t", &Governor::t), field("one_in", &Governor::one_in),
                 field("reason", &Governor::reason));
};

// A cumulative counter of the machine or of what is seen but not measured, e.g.
// "tcp.listen_overflows", "unmeasured.unix", "unmeasured.tls", "steal_ns.cpu0".
struct Counter {
  static constexpr Table kTable = Table::kCounter;
  Time t;
  std::string name;
  std::uint64_t value = 0;
  static constexpr auto fields =
      std::tuple(field("t", &Counter::t), field("name", &Counter::name),
                 field("value", &Counter::value));
};

// The user, a load command's start or end, or a schedule said that a phase begins here.
struct PhaseMark {
  static constexpr Table kTable = Table::kPhaseMark;
  Time t;
  std::string name, source;  // source: "mark", "load-start", "load-end", "file"
  static constexpr auto fields =
      std::tuple(field("t", &PhaseMark::t), field("name", &PhaseMark::name),
                 field("source", &PhaseMark::source));
};

struct Listener {
  static constexpr Table kTable = Table::kListener;
  Time t;
  std::uint32_t pid = 0, port = 0, backlog = 0;
  std::string addr;
  static constexpr auto fields =
      std::tuple(field("t", &Listener::t), field("pid", &Listener::pid),
                 field("port", &Listener::port), field("backlog", &Listener::backlog),
                 field("addr", &Listener::addr));
};

// CPU quota of the target's cgroup and its counters (cumulative). quota_ns 0 = no quota.
struct CgroupCpu {
  static constexpr Table kTable = Table::kCgroupCpu;
  Time t;
  std::string cgroup;
  std::uint64_t quota_ns = 0, period_ns = 0, nr_periods = 0, nr_throttled = 0, throttled_ns = 0;
  static constexpr auto fields = std::tuple(
      field("t", &CgroupCpu::t), field("cgroup", &CgroupCpu::cgroup),
      field("quota_ns", &CgroupCpu::quota_ns), field("period_ns", &CgroupCpu::period_ns),
      field("nr_periods", &CgroupCpu::nr_periods), field("nr_throttled", &CgroupCpu::nr_throttled),
      field("throttled_ns", &CgroupCpu::throttled_ns));
};

// A stop or continue signal sent to a target thread.
struct Signal {
  static constexpr Table kTable = Table::kSignal;
  Time t;
  std::uint32_t tid = 0, signal = 0, sender_pid = 0, sender_tid = 0;
  std::string sender;
  static constexpr auto fields =
      std::tuple(field("t", &Signal::t), field("tid", &Signal::tid),
                 field("signal", &Signal::signal), field("sender_pid", &Signal::sender_pid),
                 field("sender_tid", &Signal::sender_tid), field("sender", &Signal::sender));
};

struct Freeze {
  static constexpr Table kTable = Table::kFreeze;
  Time t;
  bool frozen = false;
  std::uint32_t pid = 0;
  std::uint64_t cgroup = 0;
  std::string comm;
  static constexpr auto fields =
      std::tuple(field("t", &Freeze::t), field("frozen", &Freeze::frozen), field("pid", &Freeze::pid),
                 field("cgroup", &Freeze::cgroup), field("comm", &Freeze::comm));
};

// A target thread at attach (at_end false) or at detach (at_end true). run: 1 on CPU, 2 runnable,
// 3 blocked; since: when that began, zero = before attach.
struct ThreadState {
  static constexpr Table kTable = Table::kThreadState;
  Time t, since, t_wake;
  bool at_end = false;
  std::uint32_t tid = 0, pid = 0, run = 0, state = 0, sysnr = 0, flags = 0;
  std::uint64_t kstack = 0;
  std::string comm;
  static constexpr auto fields = std::tuple(
      field("t", &ThreadState::t), field("since", &ThreadState::since),
      field("t_wake", &ThreadState::t_wake), field("at_end", &ThreadState::at_end),
      field("tid", &ThreadState::tid), field("pid", &ThreadState::pid),
      field("run", &ThreadState::run), field("state", &ThreadState::state),
      field("sysnr", &ThreadState::sysnr), field("flags", &ThreadState::flags),
      field("kstack", &ThreadState::kstack), field("comm", &ThreadState::comm));
};

// A socket event on a connection that the governor left out (kind: enum sp_mark_kind).
struct Unsampled {
  static constexpr Table kTable = Table::kUnsampled;
  Time t;
  std::uint32_t tid = 0, kind = 0;
  static constexpr auto fields =
      std::tuple(field("t", &Unsampled::t), field("tid", &Unsampled::tid),
                 field("kind", &Unsampled::kind));
};

// Interrupt time on top of a target thread, ending at t.
struct Irq {
  static constexpr Table kTable = Table::kIrq;
  Time t;
  std::uint32_t tid = 0, vector = 0, ns = 0;
  bool softirq = false;
  static constexpr auto fields =
      std::tuple(field("t", &Irq::t), field("tid", &Irq::tid), field("vector", &Irq::vector),
                 field("ns", &Irq::ns), field("softirq", &Irq::softirq));
};

// Last row of a recording that was closed in order. reason: "duration", "signal", "target-exit",
// "load-end", "error: ...".
struct End {
  static constexpr Table kTable = Table::kEnd;
  Time t;
  std::string reason;
  static constexpr auto fields = std::tuple(field("t", &End::t), field("reason", &End::reason));
};

// A load command that srvprof started, and what it printed (output: its last 10 to 20 MiB).
struct Load {
  static constexpr Table kTable = Table::kLoad;
  Time t_start, t_end;
  std::uint32_t pid = 0;
  std::int32_t exit_status = 0;
  std::string argv, output;
  static constexpr auto fields =
      std::tuple(field("t_start", &Load::t_start), field("t_end", &Load::t_end),
                 field("pid", &Load::pid), field("exit_status", &Load::exit_status),
                 field("argv", &Load::argv), field("output", &Load::output));
};

// A runtime did something that can delay requests during [t_begin, t_end). name: "gc.stw" (all threads of
// the process are stopped), "gc.pause" (this thread's isolate is stopped), "gc.slice" (a step of incremental
// work on this thread), "gc.assist" (goroutine g helps), "gc.cycle" (a whole collection, concurrent part
// included), "vmop". kind and reason: the runtime's words ("scavenge", "mark-compact"; "allocation failure").
// t_stopping: the stop was asked for (zero = not told). A zero t_begin or t_end: outside of the recording.
struct Span {
  static constexpr Table kTable = Table::kSpan;
  Time t_begin, t_end, t_stopping;
  std::uint32_t tid = 0, pid = 0;
  std::uint64_t g = 0;
  std::string name, kind, reason;
  static constexpr auto fields = std::tuple(
      field("t_begin", &Span::t_begin), field("t_end", &Span::t_end),
      field("t_stopping", &Span::t_stopping), field("tid", &Span::tid), field("pid", &Span::pid),
      field("g", &Span::g), field("name", &Span::name), field("kind", &Span::kind),
      field("reason", &Span::reason));
};

// The load generator's end of a connection to the target, if it is a process of this machine that is traced.
// t_connect: connecting began; t_open: connected. Both zero = before its first event. Addresses as in Conn.
struct ClientConn {
  static constexpr Table kTable = Table::kClientConn;
  Time t_connect, t_open;
  std::uint32_t id = 0, pid = 0, flags = 0;
  std::uint32_t local_port = 0, remote_port = 0;
  std::string local_addr, remote_addr;
  static constexpr auto fields = std::tuple(
      field("t_connect", &ClientConn::t_connect), field("t_open", &ClientConn::t_open),
      field("id", &ClientConn::id), field("pid", &ClientConn::pid),
      field("flags", &ClientConn::flags), field("local_port", &ClientConn::local_port),
      field("remote_port", &ClientConn::remote_port), field("local_addr", &ClientConn::local_addr),
      field("remote_addr", &ClientConn::remote_addr));
};

// One request and its answer, seen from the load generator. t_send: its first write began (zero = not
// known); t_write, t_write_last: its first and last write returned; t_arrive: the first byte of the answer
// lay unread there (zero = not seen); t_read, t_read_last: the reads of the answer returned (zero = not yet).
// flags: enum sp_request_flag.
struct ClientExchange {
  static constexpr Table kTable = Table::kClientExchange;
  Time t_send, t_write, t_write_last, t_arrive, t_read, t_read_last;
  std::uint32_t conn = 0, tid_write = 0, tid_read = 0, flags = 0, bytes_out = 0, bytes_in = 0;
  static constexpr auto fields = std::tuple(
      field("t_send", &ClientExchange::t_send), field("t_write", &ClientExchange::t_write),
      field("t_write_last", &ClientExchange::t_write_last),
      field("t_arrive", &ClientExchange::t_arrive), field("t_read", &ClientExchange::t_read),
      field("t_read_last", &ClientExchange::t_read_last), field("conn", &ClientExchange::conn),
      field("tid_write", &ClientExchange::tid_write), field("tid_read", &ClientExchange::tid_read),
      field("flags", &ClientExchange::flags), field("bytes_out", &ClientExchange::bytes_out),
      field("bytes_in", &ClientExchange::bytes_in));
};

// A load generator's thread was off CPU during [t_out, t_in) and runnable during [t_wake, t_in). occupant:
// the task that held the CPU at t_in (0 = idle). flags: enum sp_client_off_flag.
struct ClientOff {
  static constexpr Table kTable = Table::kClientOff;
  Time t_out, t_wake, t_in;
  std::uint32_t tid = 0, pid = 0, cpu = 0, occupant = 0, waker = 0, flags = 0;
  static constexpr auto fields = std::tuple(
      field("t_out", &ClientOff::t_out), field("t_wake", &ClientOff::t_wake),
      field("t_in", &ClientOff::t_in), field("tid", &ClientOff::tid), field("pid", &ClientOff::pid),
      field("cpu", &ClientOff::cpu), field("occupant", &ClientOff::occupant),
      field("waker", &ClientOff::waker), field("flags", &ClientOff::flags));
};

// Every row type, in the order of the table numbers.
using All = std::tuple<Meta, Clock, Process, Task, TaskExit, Conn, ConnClose, Request, Exchange, Mark,
                       OffCpu, Slice, Migrate, Sample, Stack, Frame, Mapping, CpuUse, Loss, Capability,
                       OwnCost, Governor, Counter, PhaseMark, Listener, CgroupCpu, Signal, Freeze,
                       ThreadState, Unsampled, Irq, End, Load, Span, ClientConn,
                       ClientExchange, ClientOff>;

}  // namespace rows
}  // namespace srvprof
