#include "analyze/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/machine.h"
#include "base/parse.h"
#include "trace/flags.h"

namespace srvprof {

const Task* find_task(const Trace& trace, std::uint32_t tid) {
  const auto found = trace.tasks.find(tid);
  return found == trace.tasks.end() ? nullptr : &found->second;
}

const Process* find_process(const Trace& trace, std::uint32_t pid) {
  const auto found = trace.processes.find(pid);
  return found == trace.processes.end() ? nullptr : &found->second;
}

const Thread* find_thread(const Trace& trace, std::uint32_t tid) {
  const auto found = trace.thread_by_tid.find(tid);
  return found == trace.thread_by_tid.end() ? nullptr : &trace.thread(found->second);
}

bool is_kernel_thread(const Task& task) { return (task.flags & kTaskKthread) != 0; }
bool is_real_time(const Task& task) { return (task.flags & kTaskRt) != 0; }

Owner owner_of(const Trace& trace, std::uint32_t tid) {
  if (tid == 0) return Owner::kUnknown;
  if (find_thread(trace, tid)) return Owner::kTarget;
  const Task* task = find_task(trace, tid);
  if (!task) return Owner::kUnknown;
  const Process* process = find_process(trace, task->pid);
  if (process && process->target) return Owner::kTarget;
  if (process && process->load_generator) return Owner::kLoadGenerator;
  const auto self = trace.meta.find("srvprof.pid");
  if (self != trace.meta.end() && self->second == std::to_string(task->pid)) return Owner::kSelf;
  return Owner::kOther;
}

std::string remote_words(const Conn& conn) {
  const bool v6 = conn.remote_addr.find(':') != std::string::npos;
  return v6 ? fmt::format("[{}]:{}", conn.remote_addr, conn.remote_port)
            : fmt::format("{}:{}", conn.remote_addr, conn.remote_port);
}

std::string process_words(const Trace& trace, std::uint32_t pid) {
  const Process* process = find_process(trace, pid);
  if (process && !process->comm.empty()) return fmt::format("{} (pid {})", process->comm, pid);
  const Task* task = find_task(trace, pid);
  if (task && !task->comm.empty()) return fmt::format("{} (pid {})", task->comm, pid);
  return fmt::format("pid {}", pid);
}

std::string task_words(const Trace& trace, std::uint32_t tid) {
  const Thread* thread = find_thread(trace, tid);
  const Task* task = find_task(trace, tid);
  if (thread) {
    const std::string& comm = thread->comm.empty() && task ? task->comm : thread->comm;
    return comm.empty() ? fmt::format("tid {}", tid) : fmt::format("{} (tid {})", comm, tid);
  }
  if (!task) return fmt::format("tid {}", tid);
  if (is_kernel_thread(*task)) return fmt::format("{} (kernel thread)", task->comm);
  const Process* process = find_process(trace, task->pid);
  if (process && !process->comm.empty()) return process_words(trace, task->pid);
  return fmt::format("{} (pid {})", task->comm, task->pid);
}

QuotaUse quota_use(const Trace& trace, Time from, Time to) {
  std::map<std::string, std::vector<const rows::CgroupCpu*>> by_cgroup;
  for (const rows::CgroupCpu& row : trace.cgroup_cpu) by_cgroup[row.cgroup].push_back(&row);
  QuotaUse worst;
  for (const auto& [cgroup, list] : by_cgroup) {
    const rows::CgroupCpu *first = list.front(), *last = list.front();
    for (const rows::CgroupCpu* row : list) {
      if (row->t <= from) first = row;
      // A row up to a second after the end closes the last interval.
      if (last->t < to) last = row;
    }
    QuotaUse use;
    use.recorded = true;
    use.cgroup = cgroup;
    use.quota = Duration(static_cast<std::int64_t>(last->quota_ns));
    use.period = Duration(static_cast<std::int64_t>(last->period_ns));
    if (last->nr_periods >= first->nr_periods) use.periods = last->nr_periods - first->nr_periods;
    if (last->nr_throttled >= first->nr_throttled) {
      use.throttled = last->nr_throttled - first->nr_throttled;
    }
    if (last->throttled_ns >= first->throttled_ns) {
      use.throttled_time =
          Duration(static_cast<std::int64_t>(last->throttled_ns - first->throttled_ns));
    }
    const bool tighter = use.throttled_time > worst.throttled_time ||
                         (use.throttled_time == worst.throttled_time && use.quota > worst.quota);
    if (!worst.recorded || tighter) worst = use;
  }
  return worst;
}

std::optional<std::uint64_t> counter_growth(const Trace& trace, std::string_view prefix, Time from,
                                            Time to) {
  struct Ends {
    const rows::Counter *first = nullptr, *last = nullptr;
  };
  std::map<std::string_view, Ends> by_name;
  for (const rows::Counter& row : trace.counters) {
    if (row.name.rfind(prefix, 0) != 0) continue;
    Ends& ends = by_name[row.name];
    if (!ends.first || row.t <= from) ends.first = &row;
    if (!ends.last || ends.last->t < to) ends.last = &row;
  }
  if (by_name.empty()) return std::nullopt;
  std::uint64_t sum = 0;
  for (const auto& [name, ends] : by_name) {
    if (ends.last->value > ends.first->value) sum += ends.last->value - ends.first->value;
  }
  return sum;
}

const MachineProcess* Facts::busiest_other() const {
  for (const MachineProcess& p : machine) {
    if (p.pid != 0 && !p.target && !p.load_generator) return &p;
  }
  return nullptr;
}

Facts facts_of(const Trace& trace, const std::vector<LoadPhase>& phases) {
  Facts facts;
  if (const auto found = trace.meta.find("host.cpus"); found != trace.meta.end()) {
    facts.cpus = parse_number<unsigned>(found->second).value_or(0);
  }
  facts.machine = machine_use(trace);
  for (const MachineProcess& p : facts.machine) {
    facts.total_cpus += p.cpus;
    if (p.target) facts.target_cpus += p.cpus;
    if (p.load_generator) {
      facts.generator_cpus += p.cpus;
      facts.generator_runq += p.runq;
    }
  }
  const std::optional<double> idle = target_idle_share(trace, phases);
  facts.idle_known = idle.has_value();
  facts.target_idle_share = idle.value_or(0);
  return facts;
}

}  // namespace srvprof
