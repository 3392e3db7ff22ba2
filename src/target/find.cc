#include "target/find.h"

#include <fnmatch.h>
#include <unistd.h>

#include <algorithm>
#include <unordered_set>

#include "base/escape.h"
#include "target/sockets.h"

namespace srvprof {
namespace {

Error no_target(std::string what, std::string hint) {
  return Error{std::move(what), std::move(hint), ErrorKind::kNoTarget};
}

std::string named(const ProcessInfo& info) {
  return std::to_string(info.pid) + " (" + command_summary(info, 40) + ")";
}

// A pid that somebody read inside a container is another number here.
std::string pid_namespace_hint(const ProcFs& fs, pid_t pid) {
  const auto pids = list_numbers(fs.proc);
  if (!pids.ok()) return "";
  for (const pid_t each : *pids) {
    const auto text = read_pid_file(fs, each, "status");
    if (!text.ok()) continue;
    const auto status = parse_proc_status(*text);
    if (status.ns_pids.size() < 2 || status.ns_pids.back() != pid) continue;
    const auto info = read_process(fs, each);
    return "process " + std::to_string(pid) + " of another pid namespace (a container) is " +
           (info.ok() ? named(*info) : std::to_string(each)) + " here: use --pid " +
           std::to_string(each);
  }
  const auto own = read_file(fs.proc + "/self/status");
  if (own.ok() && parse_proc_status(*own).ns_pids.size() == 1 &&
      namespace_inode(fs, 1, "pid") != 0 && namespace_inode(fs, 1, "pid") != 0xeffffffcu) {
    return "srvprof runs in a pid namespace of its own and sees only the processes of its "
           "container: "
           "start the container with --pid=host, or run srvprof on the host";
  }
  return "see `ps -e` for what runs";
}

// The listening ports of the machine's own network namespace, for a hint.
std::string ports_hint(const ProcFs& fs) {
  std::vector<std::uint16_t> ports;
  for (const auto& socket : read_tcp_listeners(fs.proc + "/net")) {
    ports.push_back(socket.local.port);
  }
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  if (ports.empty()) return "no TCP port is listened on here: is the server up?";
  std::string hint = "listened on here:";
  for (std::size_t i = 0; i < ports.size() && i < 12; ++i) hint += " " + std::to_string(ports[i]);
  return hint;
}

}  // namespace

Result<ProcessInfo> find_by_pid(const ProcFs& fs, pid_t pid) {
  const std::string what = "finding process " + std::to_string(pid) + ": ";
  auto found = read_process(fs, pid);
  if (!found.ok()) {
    if (found.error().kind != ErrorKind::kNoTarget) return found;
    return no_target(what + "there is no such process", pid_namespace_hint(fs, pid));
  }
  const ProcessInfo& info = *found;
  if (info.kernel_thread) {
    return no_target(what + "it is a kernel thread (" + escape_text(info.comm) + ")",
                     "give the pid of a server process");
  }
  if (info.state == 'Z' || info.state == 'X') {
    return no_target(what + "it has exited (zombie), its parent " + std::to_string(info.ppid) +
                         " has not waited for it",
                     "start the server again and give its new pid");
  }
  if (info.pid != pid) {
    return no_target(what + "it is a thread of process " + named(info),
                     "use --pid " + std::to_string(info.pid));
  }
  return found;
}

Result<std::vector<ProcessInfo>> find_by_port(const ProcFs& fs, std::uint16_t port) {
  const std::string what = "finding what listens on port " + std::to_string(port) + ": ";
  const auto pids = TRY(list_numbers(fs.proc));
  std::unordered_set<std::uint64_t> inodes;
  const auto collect = [&](const std::string& net) {
    for (const auto& socket : read_tcp_listeners(net)) {
      if (socket.local.port == port) inodes.insert(socket.inode);
    }
  };
  collect(fs.proc + "/net");
  std::unordered_set<std::uint64_t> seen{namespace_inode(fs, ::getpid(), "net")};
  for (const pid_t pid : pids) {
    const std::uint64_t ns = namespace_inode(fs, pid, "net");
    if (ns != 0 && seen.insert(ns).second) collect(pid_path(fs, pid, "net"));
  }
  if (inodes.empty()) return no_target(what + "nothing does", ports_hint(fs));

  std::vector<ProcessInfo> found;
  for (const auto& holder : find_socket_holders(fs, inodes)) {
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const ProcessInfo& p) { return p.pid == holder.pid; });
    if (known) continue;
    if (auto info = read_process(fs, holder.pid); info.ok()) found.push_back(std::move(*info));
  }
  if (!found.empty()) return found;
  return Error{what + "the port is open, but no process that may be inspected holds the socket",
               "run srvprof as root (sudo srvprof ...)", ErrorKind::kPermission};
}

Result<std::vector<ProcessInfo>> find_by_name(const ProcFs& fs, const std::string& pattern) {
  const auto pids = TRY(list_numbers(fs.proc));
  std::vector<ProcessInfo> found;
  for (const pid_t pid : pids) {
    auto info = read_process(fs, pid);
    if (!info.ok() || info->kernel_thread || info->state == 'Z' || pid == ::getpid()) continue;
    if (::fnmatch(pattern.c_str(), info->comm.c_str(), 0) == 0 ||
        ::fnmatch(pattern.c_str(), program_name(*info).c_str(), 0) == 0) {
      found.push_back(std::move(*info));
    }
  }
  if (!found.empty()) return found;
  return no_target("finding a process named '" + escape_text(pattern) + "': no process matches",
                   "quote the pattern ('node*'), or use --pid or --port");
}

Result<ProcessInfo> find_by_tid(const ProcFs& fs, pid_t tid) {
  auto found = read_process(fs, tid);
  const std::string what = "finding thread " + std::to_string(tid) + ": ";
  if (!found.ok()) {
    if (found.error().kind != ErrorKind::kNoTarget) return found;
    return no_target(what + "there is no such thread", pid_namespace_hint(fs, tid));
  }
  return find_by_pid(fs, found->pid);
}

Result<std::vector<ProcessInfo>> find_by_cgroup(const ProcFs& fs, const std::string& path) {
  std::string wanted = path;
  while (wanted.size() > 1 && wanted.back() == '/') wanted.pop_back();
  // A directory of a mounted hierarchy ends with the group's path.
  const auto lies_in = [&](const std::string& group) {
    for (std::string at = group; at.size() > 1; at.resize(at.rfind('/'))) {
      const bool same = at == wanted || (wanted.starts_with("/sys/fs/cgroup") && wanted.ends_with(at));
      if (same) return true;
    }
    return false;
  };
  std::vector<ProcessInfo> found;
  for (const pid_t pid : TRY(list_numbers(fs.proc))) {
    auto info = read_process(fs, pid);
    if (!info.ok() || info->kernel_thread || info->state == 'Z' || pid == ::getpid()) continue;
    if (std::any_of(info->cgroups.begin(), info->cgroups.end(),
                    [&](const CgroupMembership& m) { return lies_in(m.path); })) {
      found.push_back(std::move(*info));
    }
  }
  if (!found.empty()) return found;
  return no_target("finding the processes of cgroup '" + escape_text(path) + "': there are none",
                   "give the path as /proc/PID/cgroup has it, or the directory below /sys/fs/cgroup");
}

Result<ProcessInfo> choose_process(const ProcFs& fs, std::vector<ProcessInfo> candidates,
                                   std::string_view how) {
  if (candidates.size() == 1) return std::move(candidates[0]);
  for (auto& candidate : candidates) {
    const auto below = read_descendants(fs, candidate.pid);
    if (!below.ok()) continue;
    const bool parent_of_all =
        std::all_of(candidates.begin(), candidates.end(), [&](const ProcessInfo& p) {
          return p.pid == candidate.pid ||
                 std::find(below->begin(), below->end(), p.pid) != below->end();
        });
    if (parent_of_all) return std::move(candidate);
  }
  std::string hint = "choose with --pid:";
  for (std::size_t i = 0; i < candidates.size() && i < 12; ++i) hint += " " + named(candidates[i]);
  return no_target("finding the process by " + std::string(how) + ": " +
                       std::to_string(candidates.size()) + " processes match",
                   hint);
}

}  // namespace srvprof
