// The whole machine's counters: who used the CPUs, what the hypervisor took, what TCP dropped; and
// srvprof's own use.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "target/net_table.h"
#include "target/proc_fs.h"
#include "target/stat.h"

namespace srvprof {

// One CPU's line of /proc/stat, since boot, in steps of a clock tick (10 ms). `user` includes nice
// and guest time.
struct CpuTimes {
  unsigned cpu = 0;
  Duration user{};
  Duration system{};
  Duration idle{};
  Duration iowait{};
  Duration irq{};
  Duration softirq{};
  Duration steal{};
};

std::vector<CpuTimes> parse_cpu_times(std::string_view text);
Result<std::vector<CpuTimes>> read_cpu_times(const ProcFs& fs);

// CPU time of a process since it started, its ended threads included, in steps of a clock tick.
struct ProcessCpu {
  pid_t pid = 0;
  std::uint64_t start_ticks = 0;  // tells two processes with the same pid apart
  std::string comm;
  Duration cpu{};
  bool kernel_thread = false;
};

// Every process, ascending by pid. About 20 us a process.
Result<std::vector<ProcessCpu>> read_process_cpu(const ProcFs& fs);

// schedstat summed over the living threads of a process: exact, but ended threads are gone from it.
Result<SchedStat> read_process_schedstat(const ProcFs& fs, pid_t pid);

// TcpExt counters of the network namespace of `pid`: connections that found an accept queue full.
struct ListenDrops {
  NetCounter overflows;
  NetCounter drops;
};
Result<ListenDrops> read_listen_drops(const ProcFs& fs, pid_t pid);

// Tcp counters of the network namespace of `pid`: segments received; connections that were reset by
// either side when established, and resets sent.
struct TcpResets {
  NetCounter segments, established, sent;
};
Result<TcpResets> read_tcp_resets(const ProcFs& fs, pid_t pid);

// CPU time (all threads) and resident memory of the calling process.
struct OwnUse {
  Duration cpu{};
  std::uint64_t rss_bytes = 0;
};
Result<OwnUse> read_own_use(const ProcFs& fs);

}  // namespace srvprof
