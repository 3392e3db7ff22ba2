#include "analyze/machine.h"

#include <algorithm>
#include <map>

#include "analyze/facts.h"
#include "analyze/phases.h"
#include "trace/ledger.h"

namespace srvprof {
namespace {

struct Span {
  Time begin, end;
};

// Appends when `thread` was on a CPU or waiting for one, within [from, to).
void add_active(const Thread& thread, Time from, Time to, std::vector<Span>& out) {
  const Time born = std::max(from, thread.t_born);
  const Time exit = known(thread.t_exit) ? std::min(to, thread.t_exit) : to;
  if (thread.off.empty()) {
    // Never switched: it ran, or it slept, all the time.
    const ThreadTotals t = totals_of(thread, born, exit);
    if (born < exit && t.cpu + t.runq + t.throttled > t.blocked) out.push_back({born, exit});
    return;
  }
  Time active_from = std::max(born, thread.t_known);
  for (const OffInterval& off : thread.off) {
    if (off.t_wake <= off.t_out) continue;  // preempted: still wants the CPU
    if (off.t_out >= exit) break;
    if (off.t_out > active_from) out.push_back({active_from, off.t_out});
    active_from = std::max(active_from, off.t_wake);
  }
  if (active_from < exit) out.push_back({active_from, exit});
}

}  // namespace

std::vector<MachineProcess> machine_use(const Trace& trace) {
  struct Sum {
    std::string comm;
    std::uint64_t cpu_ns = 0, runq_ns = 0, interval_ns = 0;
  };
  std::map<std::uint32_t, Sum> sums;
  std::uint64_t longest = 0;
  for (const rows::CpuUse& row : trace.cpu_use) {
    Sum& sum = sums[row.pid];
    if (!row.comm.empty()) sum.comm = row.comm;
    sum.cpu_ns += row.cpu_ns;
    sum.runq_ns += row.runq_ns;
    sum.interval_ns += row.interval_ns;
    longest = std::max(longest, sum.interval_ns);
  }
  std::vector<MachineProcess> out;
  if (longest == 0) return out;
  for (const auto& [pid, sum] : sums) {
    MachineProcess p;
    p.pid = pid;
    p.comm = sum.comm;
    // Over the whole recording, also for a process that lived only through a part of it.
    p.cpus = static_cast<double>(sum.cpu_ns) / static_cast<double>(longest);
    p.runq = static_cast<double>(sum.runq_ns) / static_cast<double>(longest);
    if (const Process* process = find_process(trace, pid); process && pid != 0) {
      p.target = process->target;
      p.load_generator = process->load_generator;
      if (p.comm.empty()) p.comm = process->comm;
    }
    out.push_back(std::move(p));
  }
  std::stable_sort(out.begin(), out.end(), [](const MachineProcess& a, const MachineProcess& b) {
    return a.cpus > b.cpus;
  });
  return out;
}

void add_phase_use(const Trace& trace, std::vector<LoadPhase>& phases) {
  for (LoadPhase& phase : phases) {
    const double seconds = to_seconds(phase.end - phase.begin);
    if (seconds <= 0) continue;
    for (const rows::CpuUse& row : trace.cpu_use) {
      const Duration interval(static_cast<std::int64_t>(row.interval_ns));
      const Duration overlap = std::min(phase.end, row.t) - std::max(phase.begin, row.t - interval);
      if (interval <= Duration{} || overlap <= Duration{}) continue;
      const double share = to_seconds(overlap) / to_seconds(interval) / seconds / 1e9;
      const double cpus = static_cast<double>(row.cpu_ns) * share;
      const Process* process = row.pid != 0 ? find_process(trace, row.pid) : nullptr;
      phase.cpu_known = true;
      phase.machine_cpus += cpus;
      if (process && process->target) phase.target_cpus += cpus;
      if (process && process->load_generator) {
        phase.generator_cpus += cpus;
        phase.generator_runq += static_cast<double>(row.runq_ns) * share;
      }
    }
  }
}

std::optional<double> target_idle_share(const Trace& trace, const std::vector<LoadPhase>& phases) {
  std::vector<Span> active;
  Duration loaded{};
  bool any = false;
  for (const LoadPhase& phase : phases) {
    if (is_idle(phase) || phase.end <= phase.begin) continue;
    loaded += phase.end - phase.begin;
    for (const Thread& thread : trace.threads) {
      if (!thread.known_from_start && !known(thread.t_known)) continue;
      any = true;
      add_active(thread, phase.begin, phase.end, active);
    }
  }
  if (!any || loaded <= Duration(0)) return std::nullopt;
  std::sort(active.begin(), active.end(),
            [](const Span& a, const Span& b) { return a.begin < b.begin; });
  Duration busy{};
  Time until;
  for (const Span& s : active) {
    const Time from = std::max(s.begin, until);
    if (s.end > from) {
      busy += s.end - from;
      until = s.end;
    }
  }
  return std::clamp(1.0 - to_seconds(busy) / to_seconds(loaded), 0.0, 1.0);
}

}  // namespace srvprof
