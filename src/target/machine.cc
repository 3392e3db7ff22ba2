#include "target/machine.h"

#include <time.h>
#include <unistd.h>

#include <array>

#include "base/parse.h"

namespace srvprof {

std::vector<CpuTimes> parse_cpu_times(std::string_view text) {
  std::vector<CpuTimes> cpus;
  std::string_view line;
  while (next_line(text, line)) {
    std::string_view name = next_field(line);
    if (!name.starts_with("cpu")) continue;
    const auto cpu = parse_number<unsigned>(name.substr(3));
    if (!cpu) continue;  // the line of all CPUs together
    // user nice system idle iowait irq softirq steal; guest time is part of user time.
    std::array<std::uint64_t, 8> ticks{};
    for (auto& t : ticks) t = parse_number<std::uint64_t>(next_field(line)).value_or(0);
    const auto at = [&](std::size_t i) { return ticks_to_duration(ticks[i]); };
    cpus.push_back({*cpu, at(0) + at(1), at(2), at(3), at(4), at(5), at(6), at(7)});
  }
  return cpus;
}

Result<std::vector<CpuTimes>> read_cpu_times(const ProcFs& fs) {
  const std::string text = TRY(read_file(fs.proc + "/stat"));
  return parse_cpu_times(text);
}

Result<std::vector<ProcessCpu>> read_process_cpu(const ProcFs& fs) {
  const auto pids = TRY(list_numbers(fs.proc));
  std::vector<ProcessCpu> processes;
  processes.reserve(pids.size());
  for (const pid_t pid : pids) {
    const auto text = read_file(pid_path(fs, pid, "stat"));
    if (!text.ok()) continue;
    auto stat = parse_proc_stat(*text);
    if (!stat.ok()) continue;
    processes.push_back({pid, stat->start_ticks, std::move(stat->comm),
                         ticks_to_duration(stat->utime_ticks + stat->stime_ticks),
                         stat->kernel_thread()});
  }
  return processes;
}

Result<SchedStat> read_process_schedstat(const ProcFs& fs, pid_t pid) {
  const std::string directory = pid_path(fs, pid, "task");
  const auto tids = TRY(list_numbers(directory));
  SchedStat sum;
  bool any = false;
  for (const pid_t tid : tids) {
    const auto text = read_file(directory + "/" + std::to_string(tid) + "/schedstat");
    if (!text.ok()) continue;
    const auto each = parse_schedstat(*text);
    if (!each.ok()) continue;
    any = true;
    sum.cpu += each->cpu;
    sum.run_queue += each->run_queue;
    sum.slices += each->slices;
  }
  if (any) return sum;
  return Error{"reading schedstat of process " + std::to_string(pid) + ": not available", "",
               ErrorKind::kKernel};
}

Result<ListenDrops> read_listen_drops(const ProcFs& fs, pid_t pid) {
  const std::string text = TRY(read_pid_file(fs, pid, "net/netstat"));
  return ListenDrops{find_net_counter(text, "TcpExt", "ListenOverflows"),
                     find_net_counter(text, "TcpExt", "ListenDrops")};
}

Result<TcpResets> read_tcp_resets(const ProcFs& fs, pid_t pid) {
  const std::string text = TRY(read_pid_file(fs, pid, "net/snmp"));
  return TcpResets{find_net_counter(text, "Tcp", "InSegs"), find_net_counter(text, "Tcp", "EstabResets"),
                   find_net_counter(text, "Tcp", "OutRsts")};
}

Result<OwnUse> read_own_use(const ProcFs& fs) {
  timespec ts{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
  const std::string text = TRY(read_file(fs.proc + "/self/statm"));
  const auto pages = parse_statm_resident(text);
  if (!pages) return Error{"reading own memory: unexpected form of statm", "", ErrorKind::kFailed};
  return OwnUse{std::chrono::seconds(ts.tv_sec) + Duration(ts.tv_nsec),
                *pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE))};
}

}  // namespace srvprof
