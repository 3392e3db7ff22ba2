// One process and its threads as plain data.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/proc_fs.h"
#include "target/stat.h"

namespace srvprof {

// The path of the process's group in one cgroup hierarchy (/proc/PID/cgroup), as seen from
// srvprof's own cgroup namespace. A v1 hierarchy names its controllers; the v2 one has version 2
// and none.
struct CgroupMembership {
  int version = 1;
  std::vector<std::string> controllers;  // "cpu", "cpuset", "freezer", "name=systemd" ...
  std::string path;
};

std::vector<CgroupMembership> parse_proc_cgroup(std::string_view text);

// The path for a v1 controller, or of v2 where the controller has no v1 hierarchy; "" if neither.
std::string cgroup_path(const std::vector<CgroupMembership>& groups, std::string_view controller);

// Text that the process chose itself (comm, exe, argv) is hostile: escape before printing.
struct ProcessInfo {
  pid_t pid = 0;  // in srvprof's pid namespace
  pid_t ppid = 0;
  pid_t ns_pid = 0;  // in its own pid namespace: the number in the names of its perf map
  pid_t tracer = 0;
  char state = '?';
  std::string comm;
  std::string exe;  // path as seen from its own root; "" for a kernel thread or without permission
  std::vector<std::string> argv;
  uid_t uid = 0;  // effective
  std::uint64_t start_ticks = 0;
  std::uint64_t net_ns = 0;  // inode; 0 = not readable
  std::uint64_t pid_ns = 0;
  std::vector<CgroupMembership> cgroups;
  std::string cpus_allowed;  // list, e.g. "0-1"
  std::uint32_t threads = 0;
  bool kernel_thread = false;
};

// Error of kind kNoTarget when there is no such process. A zombie has its comm and state, but no
// argv.
Result<ProcessInfo> read_process(const ProcFs& fs, pid_t pid);

// True while the process that `info` describes lives: not a zombie, not another with its pid.
bool is_alive(const ProcFs& fs, const ProcessInfo& info);

struct ThreadInfo {
  pid_t tid = 0;
  std::string comm;
  char state = '?';
  int nice = 0;
  std::uint64_t start_ticks = 0;
};

// Threads that end meanwhile are left out.
Result<std::vector<ThreadInfo>> read_threads(const ProcFs& fs, pid_t pid);

// Run-queue statistics of one thread of a process.
Result<SchedStat> read_schedstat(const ProcFs& fs, pid_t pid, pid_t tid);

// All descendants of a process, parents before children (one pass over all processes).
Result<std::vector<pid_t>> read_descendants(const ProcFs& fs, pid_t pid);

// File name of argv[0], e.g. "node" for "/usr/bin/node"; comm if there is no argv.
std::string program_name(const ProcessInfo& info);

// "node server.js": the first words of the command line, at most `limit` bytes, escaped for
// terminals.
std::string command_summary(const ProcessInfo& info, std::size_t limit = 60);

}  // namespace srvprof
