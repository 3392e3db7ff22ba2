// Parsers of the small text files of one process: stat, status, schedstat, statm, cmdline. Every
// parser takes any bytes; what is missing or malformed gives an Error or stays at its default, as
// said.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace srvprof {

// /proc/PID/stat (proc(5)). Times are in clock ticks (USER_HZ, see ticks_to_duration).
struct ProcStat {
  pid_t pid = 0;
  std::string comm;  // up to 15 bytes of the process's own choice: escape before printing
  char state = '?';  // R S D T t X Z I
  pid_t ppid = 0;
  std::uint32_t flags = 0;  // PF_*
  std::uint64_t min_faults = 0;
  std::uint64_t major_faults = 0;
  std::uint64_t utime_ticks = 0;
  std::uint64_t stime_ticks = 0;
  int nice = 0;
  std::uint32_t threads = 0;
  std::uint64_t start_ticks = 0;  // since boot; with the pid it identifies a process for ever

  bool kernel_thread() const { return (flags & 0x00200000u) != 0; }  // PF_KTHREAD
  bool zombie() const { return state == 'Z' || state == 'X' || state == 'x'; }
};

// Error when the text is not a stat line up to its start time.
Result<ProcStat> parse_proc_stat(std::string_view text);

// /proc/PID/status. Fields that the text lacks keep their default.
struct ProcStatus {
  pid_t tgid = 0;
  pid_t tracer = 0;            // pid of a debugger, 0 = none
  uid_t uid = 0;               // effective: the owner of the files it makes
  std::vector<pid_t> ns_pids;  // its pid in each pid namespace, ours first, its own last
  std::string cpus_allowed;    // affinity as a list, e.g. "0-3,7"
  std::uint64_t cap_effective = 0;
  std::uint64_t cap_bounding = 0;
  std::uint64_t signals_caught = 0;  // bit N - 1: it has a handler for signal N
};

ProcStatus parse_proc_status(std::string_view text);

// /proc/PID/task/TID/schedstat: time on a CPU, time runnable but waiting for one, number of slices.
struct SchedStat {
  Duration cpu{};
  Duration run_queue{};
  std::uint64_t slices = 0;
};

Result<SchedStat> parse_schedstat(std::string_view text);

// Resident pages of /proc/PID/statm, nothing if malformed.
std::optional<std::uint64_t> parse_statm_resident(std::string_view text);

// The NUL-separated words of /proc/PID/cmdline.
std::vector<std::string> parse_cmdline(std::string_view text);

// The CPUs of a list such as "0-3,7"; CPUs from 4096 up and malformed parts are left out.
std::vector<unsigned> parse_cpu_list(std::string_view text);

Duration ticks_to_duration(std::uint64_t ticks);

}  // namespace srvprof
