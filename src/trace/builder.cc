#include "trace/builder.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/parse.h"
#include "trace/flags.h"
#include "trace/spans.h"

namespace srvprof {
namespace {

// No machine has been up for longer; times beyond are damage, and far from any overflow.
constexpr Time kLatest = Time(std::chrono::hours(24 * 365 * 50));

template <class Row>
void sort_by_time(std::vector<Row>& rows) {
  const auto by_time = [](const Row& a, const Row& b) { return a.t < b.t; };
  if (!std::is_sorted(rows.begin(), rows.end(), by_time)) {
    std::stable_sort(rows.begin(), rows.end(), by_time);
  }
}

void name_peers(Trace& trace) {
  for (Conn& conn : trace.conns) {
    const auto it = trace.meta.find(fmt::format("peer.{}", conn.remote_port));
    if (conn.remote_port == 0 || it == trace.meta.end()) continue;
    conn.peer_pid = parse_number<std::uint32_t>(it->second).value_or(0);
  }
}

// Whoever owns the other end of accepted connections, or was started as the load, generates the
// load.
void find_load_generators(Trace& trace) {
  const auto mark = [&](std::uint32_t pid) {
    if (pid == 0) return;
    Process& process = trace.processes[pid];
    process.pid = pid;
    if (!process.target) process.load_generator = true;
  };
  for (const Conn& conn : trace.conns) {
    if (!conn.outgoing) mark(conn.peer_pid);
  }
  for (const rows::Load& load : trace.loads) mark(load.pid);
  for (const ClientConn& conn : trace.client.conns) mark(conn.pid);
  for (auto& [pid, process] : trace.processes) {
    for (const rows::Load& load : trace.loads) {
      if (load.pid != 0 && process.ppid == load.pid && !process.target)
        process.load_generator = true;
    }
  }
}

}  // namespace

TraceBuilder::TraceBuilder() : strings_(trace_.strings) {}

// Takes note of times for the ends of the trace; false if one of them cannot be.
bool TraceBuilder::sane(std::initializer_list<Time> times) {
  for (const Time t : times) {
    if (t < Time{} || t > kLatest) {
      ++raw_.bad_rows;
      return false;
    }
  }
  for (const Time t : times) seen(t);
  ++rows_;
  return true;
}

void TraceBuilder::seen(Time t) {
  if (!known(t)) return;
  if (!known(raw_.t_first) || t < raw_.t_first) raw_.t_first = t;
  raw_.t_last = std::max(raw_.t_last, t);
}

void TraceBuilder::operator()(const rows::Meta& row) {
  trace_.meta[row.key] = row.value;
  ++rows_;
}

void TraceBuilder::operator()(const rows::Clock& row) {
  if (sane({row.t})) trace_.clocks.push_back(row);
}

void TraceBuilder::operator()(const rows::Process& row) {
  ++rows_;
  Process& p = trace_.processes[row.pid];
  const bool target = p.target || row.target;
  p = {.pid = row.pid,
       .ppid = row.ppid,
       .target = target,
       .load_generator = p.load_generator,
       .comm = row.comm,
       .exe = row.exe,
       .argv = row.argv,
       .cgroup = row.cgroup};
}

void TraceBuilder::operator()(const rows::Task& row) {
  if (!sane({row.t})) return;
  if ((row.flags & kTaskBorn) != 0 && (row.flags & kTaskTarget) != 0) {
    raw_.births.push_back({.t = row.t, .tid = row.tid, .pid = row.pid, .parent = row.parent});
  }
  Task& task = trace_.tasks[row.tid];
  const std::uint32_t parent = row.parent != 0 ? row.parent : task.parent;
  task = {.tid = row.tid,
          .pid = row.pid,
          .parent = parent,
          .flags = row.flags | task.flags,
          .nice = row.nice,
          .cgroup = row.cgroup,
          .comm = row.comm};
}

void TraceBuilder::operator()(const rows::TaskExit& row) {
  if (sane({row.t})) raw_.exits.push_back(row);
}

void TraceBuilder::operator()(const rows::Conn& row) {
  if (!sane({row.t_open, row.t_accept, row.t_accept_low})) return;
  const auto next = ConnId{static_cast<std::uint32_t>(trace_.conns.size() + 1)};
  const auto [it, added] = raw_.conn_by_number.try_emplace(row.id, next);
  if (added) trace_.conns.emplace_back();
  Conn& conn = trace_.conns[it->second.value - 1];
  const Time t_close = conn.t_close;
  const bool reset = conn.reset || (row.flags & kConnReset) != 0;
  conn = {.id = row.id,
          .pid = row.pid,
          .outgoing = (row.flags & kConnOut) != 0,
          .unsampled = (row.flags & kConnUnsampled) != 0,
          .reset = reset,
          .proto = row.proto,
          .t_open = row.t_open,
          .t_accept = row.t_accept,
          .t_accept_low = row.t_accept_low,
          .t_close = t_close,
          .local_addr = row.local_addr,
          .remote_addr = row.remote_addr,
          .local_port = static_cast<std::uint16_t>(row.local_port),
          .remote_port = static_cast<std::uint16_t>(row.remote_port),
          .peer_pid = 0};
}

void TraceBuilder::operator()(const rows::ConnClose& row) {
  if (!sane({row.t})) return;
  const auto next = ConnId{static_cast<std::uint32_t>(trace_.conns.size() + 1)};
  const auto [it, added] = raw_.conn_by_number.try_emplace(row.id, next);
  if (added) trace_.conns.emplace_back().id = row.id;
  Conn& conn = trace_.conns[it->second.value - 1];
  conn.t_close = row.t;
  conn.reset = conn.reset || (row.flags & kConnReset) != 0;
}

void TraceBuilder::operator()(const rows::Request& row) {
  if (!known(row.t_read) && !known(row.t_arrive)) ++raw_.bad_rows;
  if (!sane({row.t_arrive, row.t_read, row.t_read_last, row.t_write, row.t_write_last})) return;
  if ((row.flags & kReqPreexisting) != 0) {
    ++trace_.left_out_at_attach;
    raw_.strays.push_back({.t = row.t_read, .tid = row.tid_read});
    if (known(row.t_write)) raw_.strays.push_back({.t = row.t_write, .tid = row.tid_write});
    return;
  }
  RawRequest raw;
  raw.conn = row.conn;
  raw.tid_read = row.tid_read;
  raw.tid_write = row.tid_write;
  raw.t_write_last = row.t_write_last;
  Request& r = raw.request;
  r.route = {routes_.intern(row.method, row.path, row.path_cut) + 1};
  r.path = strings_.intern(row.path);
  r.path_cut = row.path_cut;
  r.t_arrive = row.t_arrive;
  r.t_read = row.t_read;
  r.t_read_last = row.t_read_last;
  r.t_write = row.t_write;
  r.g = row.g;
  r.flags = row.flags;
  r.bytes_in = row.bytes_in;
  r.bytes_out = row.bytes_out;
  r.steal_ns = row.steal_ns;
  r.min_flt = row.min_flt;
  r.maj_flt = row.maj_flt;
  r.since_open_ns = row.since_open_ns;
  r.status = static_cast<std::uint16_t>(std::min(row.status, 0xffffU));
  r.n_read = static_cast<std::uint16_t>(std::min(row.n_read, 0xffffU));
  r.n_write = static_cast<std::uint16_t>(std::min(row.n_write, 0xffffU));
  raw_.requests.push_back(raw);
}

void TraceBuilder::operator()(const rows::Exchange& row) {
  if (!sane({row.t_write, row.t_write_last, row.t_arrive, row.t_read, row.t_read_last})) return;
  RawExchange raw;
  raw.conn = row.conn;
  raw.tid_write = row.tid_write;
  raw.tid_read = row.tid_read;
  Exchange& x = raw.exchange;
  x.t_write = row.t_write;
  x.t_write_last = row.t_write_last;
  x.t_arrive = row.t_arrive;
  x.t_read = row.t_read;
  x.t_read_last = row.t_read_last;
  x.g = row.g;
  x.flags = row.flags;
  x.bytes_out = row.bytes_out;
  x.bytes_in = row.bytes_in;
  raw_.exchanges.push_back(raw);
}

void TraceBuilder::operator()(const rows::Mark& row) {
  if (sane({row.t})) raw_.marks.push_back(row);
}

void TraceBuilder::operator()(const rows::OffCpu& row) {
  if (!sane({row.t_out, row.t_wake, row.t_in})) return;
  OffInterval off;
  off.t_out = row.t_out;
  off.t_wake = row.t_wake;
  off.t_in = row.t_in;
  const Time runnable = known(row.t_wake) ? row.t_wake : row.t_out;
  off.t_throttle = runnable;
  off.t_throttle_end =
      runnable + Duration(static_cast<std::int64_t>(std::min(row.throttled_ns, to_ns(kLatest))));
  off.waker = row.waker;
  off.occupant = row.occupant;
  off.sysnr = row.sysnr;
  off.flags = row.flags;
  off.steal_ns = row.steal_ns;
  off.cpu = static_cast<std::uint16_t>(row.cpu);
  off.state = static_cast<char>(row.state);
  off.kstack = row.kstack;
  off.ustack = row.ustack;
  raw_.off[row.tid].push_back(off);
}

void TraceBuilder::operator()(const rows::Slice& row) {
  constexpr std::uint32_t kCpusMax = 4096;
  if (!sane({row.t_end}) || row.cpu >= kCpusMax) return;
  if (trace_.slices.size() <= row.cpu) trace_.slices.resize(row.cpu + 1);
  trace_.slices[row.cpu].push_back({.t_end = row.t_end, .tid = row.tid});
}

void TraceBuilder::operator()(const rows::Migrate& row) {
  if (sane({row.t})) raw_.migrations.push_back(row);
}

void TraceBuilder::operator()(const rows::Sample& row) {
  if (sane({row.t})) trace_.samples.push_back(row);
}

void TraceBuilder::operator()(const rows::Stack& row) { trace_.stacks[row.hash] = row; }

void TraceBuilder::operator()(const rows::Frame& row) {
  trace_.frames[{row.pid, row.pc, row.hint}].push_back(row);
}

void TraceBuilder::operator()(const rows::Signal& row) {
  if (sane({row.t})) trace_.signals.push_back(row);
}

void TraceBuilder::operator()(const rows::Freeze& row) {
  if (sane({row.t})) trace_.freezes.push_back(row);
}

void TraceBuilder::operator()(const rows::Span& row) {
  if (sane({row.t_begin, row.t_end, row.t_stopping})) trace_.spans.push_back(row);
}

void TraceBuilder::operator()(const rows::ClientConn& row) {
  if (sane({row.t_connect, row.t_open})) raw_.client_conns.push_back(row);
}

void TraceBuilder::operator()(const rows::ClientExchange& row) {
  if (sane({row.t_send, row.t_write, row.t_write_last, row.t_arrive, row.t_read, row.t_read_last})) {
    raw_.client_exchanges.push_back(row);
  }
}

void TraceBuilder::operator()(const rows::ClientOff& row) {
  if (!sane({row.t_out, row.t_wake, row.t_in})) return;
  if (row.t_in >= row.t_out && known(row.t_out)) raw_.client_off.push_back(row);
}

void TraceBuilder::operator()(const rows::ThreadState& row) {
  if (sane({row.t, row.since, row.t_wake})) raw_.states.push_back(row);
}

void TraceBuilder::operator()(const rows::Unsampled& row) {
  if (!sane({row.t})) return;
  trace_.unsampled.push_back(row);
  raw_.strays.push_back({.t = row.t, .tid = row.tid});
}

void TraceBuilder::operator()(const rows::Irq& row) {
  if (sane({row.t})) raw_.irqs.push_back(row);
}

void TraceBuilder::operator()(const rows::End& row) {
  if (!sane({row.t})) return;
  raw_.t_end_row = row.t;
  trace_.clean_end = true;
  trace_.end_reason = row.reason;
}

Trace TraceBuilder::build() {
  trace_.routes.assign(1, "");
  trace_.routes.insert(trace_.routes.end(), routes_.names().begin(), routes_.names().end());
  for (auto& cpu : trace_.slices) {
    std::stable_sort(cpu.begin(), cpu.end(),
                     [](const CpuSlice& a, const CpuSlice& b) { return a.t_end < b.t_end; });
  }
  for (auto& [key, frames] : trace_.frames) {
    std::stable_sort(frames.begin(), frames.end(),
                     [](const rows::Frame& a, const rows::Frame& b) { return a.depth < b.depth; });
  }
  std::stable_sort(trace_.spans.begin(), trace_.spans.end(),
                   [](const rows::Span& a, const rows::Span& b) { return a.t_end < b.t_end; });
  sort_by_time(trace_.samples);
  sort_by_time(trace_.clocks);
  sort_by_time(trace_.signals);
  sort_by_time(trace_.freezes);
  sort_by_time(trace_.unsampled);
  sort_by_time(trace_.phase_marks);
  sort_by_time(trace_.cpu_use);
  sort_by_time(trace_.counters);
  sort_by_time(trace_.cgroup_cpu);
  sort_by_time(trace_.governor);

  build_threads(raw_, trace_);
  name_peers(trace_);
  build_requests(raw_, trace_);
  build_client(raw_, trace_);
  find_load_generators(trace_);
  assign_owners(raw_, trace_);
  find_roles(trace_);
  find_collections(trace_);
  find_stalls(trace_);
  find_routes_that_run_through(trace_);
  if (raw_.bad_rows != 0) {
    note_damage(fmt::format("{} rows with impossible times were dropped", raw_.bad_rows));
  }
  if (raw_.overlaps != 0) {
    note_damage(fmt::format("{} off-CPU intervals overlap others and were cut", raw_.overlaps));
  }
  raw_ = {};
  rows_ = 0;
  return std::exchange(trace_, {});
}

}  // namespace srvprof
