#include "scenario.h"

#include <algorithm>

namespace srvprof {

Who task(std::uint32_t tid) { return {Who::Kind::kTask, false, tid}; }
Who owner(RequestId id) { return {Who::Kind::kRequest, false, id.value}; }

Scenario::Scenario(Duration length) {
  trace.t_begin = time_from_ns(1'000'000'000);
  trace.t_end = trace.t_begin + length;
  trace.model = RuntimeModel::kEventLoop;
  trace.strings = {""};
  trace.routes = {""};
  trace.meta = {{"host.cpus", "2"}, {"target.pid", "100"}, {"target.comm", "server"}};
  trace.clean_end = true;
  Process target;
  target.pid = 100;
  target.target = true;
  target.comm = "server";
  trace.processes[100] = target;
  thread(100, "server", ThreadRole::kLoop);
  Conn conn;
  conn.id = 1;
  conn.remote_addr = "10.0.0.9";
  conn.remote_port = 5000;
  trace.conns.push_back(conn);
}

RouteId Scenario::route(std::string_view name) {
  for (std::uint32_t i = 1; i < trace.routes.size(); ++i) {
    if (trace.routes[i] == name) return RouteId{i};
  }
  trace.routes.emplace_back(name);
  return RouteId{static_cast<std::uint32_t>(trace.routes.size() - 1)};
}

ThreadId Scenario::thread(std::uint32_t tid, std::string_view comm, ThreadRole role) {
  Thread t;
  t.tid = tid;
  t.pid = 100;
  t.comm = comm;
  t.role = role;
  t.t_known = trace.t_begin;
  trace.threads.push_back(t);
  const ThreadId id{static_cast<std::uint32_t>(trace.threads.size())};
  trace.thread_by_tid[tid] = id;
  trace.tasks[tid] = {tid, 100, 0, 1, 0, 0, std::string(comm)};
  return id;
}

void Scenario::process(std::uint32_t pid, std::string_view comm, bool load_generator,
                       std::string_view cgroup) {
  Process p;
  p.pid = pid;
  p.comm = comm;
  p.load_generator = load_generator;
  p.cgroup = cgroup;
  trace.processes[pid] = p;
  trace.tasks[pid] = {pid, pid, 0, 0, 0, 0, std::string(comm)};
}

void Scenario::kernel_thread(std::uint32_t tid, std::string_view comm) {
  trace.tasks[tid] = {tid, tid, 0, 2, 0, 0, std::string(comm)};
}

RequestId Scenario::request(RouteId route, Duration arrive, const std::vector<Part>& parts) {
  const RequestId id{static_cast<std::uint32_t>(trace.requests.size() + 1)};
  Request r;
  r.conn = ConnId{1};
  r.route = route;
  r.reader = r.writer = ThreadId{1};
  r.t_arrive = r.t_accepted = r.t_read = r.t_read_last = at(arrive);
  r.status = 200;
  r.n_read = r.n_write = 1;
  Time t = r.t_arrive;
  std::vector<Tile>& list = tiles[id.value];
  for (const Part& p : parts) {
    Tile tile;
    tile.begin = t;
    tile.length = p.length;
    tile.phase = p.phase;
    tile.state = p.state;
    tile.worker_state = p.worker_state;
    tile.who = p.who;
    tile.thread = ThreadId{1};
    tile.off = p.off;
    tile.echo_of = p.echo_of;
    list.push_back(tile);
    t += p.length;
  }
  r.t_write = r.t_done = t;
  trace.requests.push_back(r);
  return id;
}

void Scenario::ordinary(RouteId route, std::size_t n, Duration from, Duration to) {
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<std::int64_t>(i);
    request(route, from + (to - from) * k / static_cast<std::int64_t>(n), {{State::kCpu, 1ms}});
  }
}

void Scenario::mixed(RouteId route, std::size_t n, std::size_t every,
                     const std::vector<Part>& slow) {
  const Duration span = trace.t_end - trace.t_begin;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<Part> parts{{State::kCpu, 1ms}};
    // Not the first and last of the run, so that a part of the load is ordinary at both ends.
    if (i % every == every / 2) parts.insert(parts.end(), slow.begin(), slow.end());
    request(route, span * static_cast<std::int64_t>(i) / static_cast<std::int64_t>(n), parts);
  }
}

TileSource Scenario::source() const {
  return [this](const Trace&, RequestId id, std::vector<Tile>& out) { out = tiles.at(id.value); };
}

Report Scenario::report(const ReportOptions& options) const {
  return analyze_with(trace, source(), "test.srvprof", options);
}

const Finding* find(const Group& group, std::string_view cause, bool of_body) {
  for (const Finding& f : group.findings) {
    if (f.cause == cause && f.of_body == of_body) return &f;
  }
  return nullptr;
}

bool mentions(const std::vector<std::string>& lines, std::string_view text) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(text) != std::string::npos; });
}

}  // namespace srvprof
