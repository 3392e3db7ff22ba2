#include "analyze/compare_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/client_means.h"
#include "analyze/facts.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr double kLeastCpus = 0.02;
constexpr double kStarved = 1.3;  // times longer that the generator waits for each second it runs
constexpr double kWaits = 0.3;    // seconds a second: less is no starvation
constexpr double kTook = 0.1;     // CPUs more: a process that took them

bool is_in(const std::vector<Window>& windows, Time t) {
  return std::any_of(windows.begin(), windows.end(),
                     [&](const Window& w) { return t >= w.begin && t < w.end; });
}

double seconds_of(const std::vector<Window>& windows) {
  double sum = 0;
  for (const Window& w : windows) sum += to_seconds(w.end - w.begin);
  return std::max(sum, 1e-9);
}

struct RunFacts {
  double requests = 0, seconds = 0;
  double connections = 0, new_connections = 0;
  double busiest_connection = 0;  // its share of the requests, times their number: 1 = balanced
  double busiest_process = 0;     // share of the requests
  double processes = 0;
  double migrations = 0, gcs = 0, gc_seconds = 0;
  bool spans = false;
  std::map<std::uint32_t, double> samples_by_cpu;
  double samples = 0;
};

void count_requests(const Trace& trace, const std::vector<Window>& in, RunFacts& f) {
  std::map<std::uint32_t, double> by_conn, by_pid;
  for (const Request& r : trace.requests) {
    if (!is_in(in, r.t_arrive)) continue;
    ++f.requests;
    ++by_conn[r.conn.value];
    ++by_pid[trace.conn(r.conn).pid];
  }
  f.connections = static_cast<double>(by_conn.size());
  f.processes = static_cast<double>(by_pid.size());
  double most = 0, most_pid = 0;
  for (const auto& [conn, n] : by_conn) {
    most = std::max(most, n);
    f.new_connections += is_in(in, trace.conns[conn - 1].t_open);
  }
  for (const auto& [pid, n] : by_pid) most_pid = std::max(most_pid, n);
  if (f.requests > 0) {
    f.busiest_connection = most * f.connections / f.requests;
    f.busiest_process = most_pid / f.requests;
  }
}

RunFacts facts_in(const Trace& trace, const std::vector<Window>& in) {
  RunFacts f;
  f.seconds = seconds_of(in);
  count_requests(trace, in, f);
  for (const auto& list : trace.migrations) {
    for (const rows::Migrate& m : list) f.migrations += is_in(in, m.t);
  }
  f.spans = !trace.spans.empty();
  for (const rows::Span& s : trace.spans) {
    if (!s.name.starts_with("gc.") || !is_in(in, s.t_end)) continue;
    if (s.name == "gc.stw" || s.name == "gc.pause") {
      ++f.gcs;
      if (known(s.t_begin)) f.gc_seconds += to_seconds(s.t_end - s.t_begin);
    }
  }
  for (const rows::Sample& s : trace.samples) {
    if (!is_in(in, s.t)) continue;
    ++f.samples;
    ++f.samples_by_cpu[s.cpu];
  }
  return f;
}

// Requests as the load generator lived through them.
ClientMeans client_means_in(const Trace& trace, const std::vector<Window>& in) {
  std::vector<RequestId> ids;
  for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
    if (is_in(in, trace.requests[i].t_arrive)) ids.push_back(RequestId{i + 1});
  }
  return client_means(trace, ids);
}

void add_placement(const RunFacts& a, const RunFacts& b, std::vector<Change>& out) {
  if (a.samples < 50 || b.samples < 50) return;
  std::map<std::uint32_t, double> cpus = a.samples_by_cpu;
  cpus.insert(b.samples_by_cpu.begin(), b.samples_by_cpu.end());
  for (const auto& [cpu, unused] : cpus) {
    const auto share = [cpu = cpu](const RunFacts& f) {
      const auto at = f.samples_by_cpu.find(cpu);
      return at == f.samples_by_cpu.end() ? 0 : at->second / f.samples * 100;
    };
    if (std::abs(share(a) - share(b)) < 10) continue;
    out.push_back({fmt::format("target's code on CPU {}", cpu),
                   "%",
                   share(a),
                   share(b),
                   {},
                   false,
                   false,
                   ""});
  }
}

struct Use {
  std::string role;
  std::map<std::uint32_t, bool> pids;
  double cpu = 0, runq = 0;
};

// By name, in seconds of CPU a second of the windows. A row counts as far as it overlaps them.
std::map<std::string, Use> use_by_name(const Trace& trace, const std::vector<Window>& in) {
  std::map<std::string, Use> out;
  const double seconds = seconds_of(in);
  for (const rows::CpuUse& row : trace.cpu_use) {
    if (row.interval_ns == 0) continue;
    const Duration interval(static_cast<std::int64_t>(row.interval_ns));
    double share = 0;
    for (const Window& w : in) {
      const Duration overlap = std::min(w.end, row.t) - std::max(w.begin, row.t - interval);
      share += std::max(0.0, to_seconds(overlap) / to_seconds(interval));
    }
    if (share <= 0) continue;
    const Process* process = row.pid != 0 ? find_process(trace, row.pid) : nullptr;
    const std::string comm = row.pid == 0 ? "many small processes" : row.comm;
    Use& use = out[comm];
    use.pids[row.pid] = true;
    if (process && process->target) use.role = "target";
    if (process && process->load_generator) use.role = "load generator";
    use.cpu += share * static_cast<double>(row.cpu_ns) / 1e9 / seconds;
    use.runq += share * static_cast<double>(row.runq_ns) / 1e9 / seconds;
  }
  return out;
}

std::string named(const ProcessChange& p, std::size_t n) {
  return n > 1 ? fmt::format("{} ({} processes)", p.comm, n) : p.comm;
}

}  // namespace

std::vector<Change> changed_facts(const Trace& trace_a, const std::vector<Window>& in_a,
                                  const Trace& trace_b, const std::vector<Window>& in_b) {
  const RunFacts a = facts_in(trace_a, in_a), b = facts_in(trace_b, in_b);
  std::vector<Change> out;
  const auto add = [&](const char* name, const char* unit, double x, double y) {
    out.push_back({name, unit, x, y, {}, false, false, ""});
  };
  add("connections", "", a.connections, b.connections);
  add("connections opened", "/s", a.new_connections / a.seconds, b.new_connections / b.seconds);
  add("busiest connection, times the mean", "", a.busiest_connection, b.busiest_connection);
  if (a.processes > 1 || b.processes > 1) {
    add("busiest process, of the requests", "%", a.busiest_process * 100, b.busiest_process * 100);
  }
  add("migrations of target threads", "/s", a.migrations / a.seconds, b.migrations / b.seconds);
  if (a.spans || b.spans) {
    add("garbage collector's pauses", "/s", a.gcs / a.seconds, b.gcs / b.seconds);
    add("garbage collector's pauses, time", "ms/s", a.gc_seconds * 1e3 / a.seconds,
        b.gc_seconds * 1e3 / b.seconds);
  }
  const ClientMeans ca = client_means_in(trace_a, in_a), cb = client_means_in(trace_b, in_b);
  if (ca.requests > 0 && cb.requests > 0) {
    add("client's latency, mean", "ms", to_ms(sum_of_lines(ca.ledger)),
        to_ms(sum_of_lines(cb.ledger)));
    add("client's wait for a CPU, a request", "ms", to_ms(ca.ledger.of(ClientLine::kRunq)),
        to_ms(cb.ledger.of(ClientLine::kRunq)));
  }
  add_placement(a, b, out);
  return out;
}

std::vector<ProcessChange> changed_processes(const Trace& a, const std::vector<Window>& in_a,
                                             const Trace& b, const std::vector<Window>& in_b) {
  const std::map<std::string, Use> use_a = use_by_name(a, in_a), use_b = use_by_name(b, in_b);
  std::map<std::string, ProcessChange> sum;
  for (const auto& [comm, use] : use_a) {
    ProcessChange& p = sum[comm];
    p.role = use.role;
    p.processes_a = use.pids.size();
    p.cpus_a = use.cpu;
    p.runq_a = use.runq;
  }
  for (const auto& [comm, use] : use_b) {
    ProcessChange& p = sum[comm];
    if (!use.role.empty()) p.role = use.role;
    p.processes_b = use.pids.size();
    p.cpus_b = use.cpu;
    p.runq_b = use.runq;
  }
  std::vector<ProcessChange> out;
  for (auto& [comm, p] : sum) {
    p.comm = comm;
    if (std::max(p.cpus_a, p.cpus_b) >= kLeastCpus) out.push_back(std::move(p));
  }
  std::stable_sort(out.begin(), out.end(), [](const ProcessChange& x, const ProcessChange& y) {
    return std::abs(x.cpus_b - x.cpus_a) > std::abs(y.cpus_b - y.cpus_a);
  });
  return out;
}

std::vector<std::string> machine_words(const std::vector<ProcessChange>& processes,
                                       double rate_ratio) {
  std::vector<std::string> out;
  const auto with_role = [&](std::string_view role) {
    ProcessChange sum;
    for (const ProcessChange& p : processes) {
      if (p.role != role) continue;
      if (sum.comm.empty()) sum.comm = p.comm;
      sum.cpus_a += p.cpus_a, sum.cpus_b += p.cpus_b;
      sum.runq_a += p.runq_a, sum.runq_b += p.runq_b;
    }
    return sum;
  };
  const ProcessChange generator = with_role("load generator"), target = with_role("target");
  const bool slower = rate_ratio < 1;
  // Seen from the run in which it had less.
  const double before = slower ? generator.cpus_a : generator.cpus_b;
  const double after = slower ? generator.cpus_b : generator.cpus_a;
  const double wait_before = slower ? generator.runq_a : generator.runq_b;
  const double wait_after = slower ? generator.runq_b : generator.runq_a;
  const double each_before = wait_before / std::max(before, 0.01);
  const double each_after = wait_after / std::max(after, 0.01);
  if (!generator.comm.empty() && wait_after >= kWaits && each_after >= 1 &&
      each_after >= kStarved * std::max(each_before, 0.1)) {
    out.push_back(fmt::format(
        "the load generator ({}) starved in the {} run: for each second on a CPU its threads "
        "waited "
        "{:.1f} s for one ({:.1f} s in the other run); it got {:.2f} CPUs, {:.2f} in the other run",
        generator.comm, slower ? "second" : "first", each_after, each_before, after, before));
    const double target_before = slower ? target.runq_a : target.runq_b;
    const double target_after = slower ? target.runq_b : target.runq_a;
    out.push_back(
        fmt::format("the target's own wait for CPUs: {:.2f} s a second, {:.2f} in the other",
                    target_after, target_before));
  }
  for (const ProcessChange& p : processes) {
    if (!p.role.empty() || std::abs(p.cpus_b - p.cpus_a) < kTook || out.size() > 6) continue;
    const bool more = p.cpus_b > p.cpus_a;
    out.push_back(fmt::format("{} used {:.2f} CPUs {}: {:.2f} -> {:.2f}",
                              named(p, std::max(p.processes_a, p.processes_b)),
                              std::abs(p.cpus_b - p.cpus_a), more ? "more" : "less", p.cpus_a,
                              p.cpus_b));
  }
  return out;
}

}  // namespace srvprof
