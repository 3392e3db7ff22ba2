// Finding the process to attach to: by pid, by port, by name.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/proc_fs.h"
#include "target/process.h"

namespace srvprof {

// The process with that pid. An Error of kind kNoTarget says what is there instead: nothing, a
// zombie, a kernel thread, a thread of another process, or the same number in another pid
// namespace.
Result<ProcessInfo> find_by_pid(const ProcFs& fs, pid_t pid);

// The processes that hold a socket listening on that TCP port, in any network namespace that can be
// read: never empty. Several are possible (inherited sockets, SO_REUSEPORT, containers).
Result<std::vector<ProcessInfo>> find_by_port(const ProcFs& fs, std::uint16_t port);

// The processes whose comm or program name matches the shell pattern (fnmatch): never empty,
// without srvprof itself, kernel threads and zombies.
Result<std::vector<ProcessInfo>> find_by_name(const ProcFs& fs, const std::string& pattern);

// The process that a thread belongs to, by the thread's id.
Result<ProcessInfo> find_by_tid(const ProcFs& fs, pid_t tid);

// The processes of a cgroup and of the groups below it, by pid: never empty, without srvprof itself
// and zombies. `path` is as in /proc/PID/cgroup ("/system.slice/web.service") or the directory in a
// mounted hierarchy ("/sys/fs/cgroup/cpu/web").
Result<std::vector<ProcessInfo>> find_by_cgroup(const ProcFs& fs, const std::string& path);

// Of several processes the one to attach to: the one that is an ancestor of all others (a prefork
// server's parent), or the only one. Otherwise an Error of kind kNoTarget whose hint lists them.
Result<ProcessInfo> choose_process(const ProcFs& fs, std::vector<ProcessInfo> candidates,
                                   std::string_view how);

}  // namespace srvprof
