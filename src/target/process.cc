#include "target/process.h"

#include <algorithm>
#include <unordered_map>

#include "base/escape.h"
#include "base/parse.h"

namespace srvprof {

std::vector<CgroupMembership> parse_proc_cgroup(std::string_view text) {
  std::vector<CgroupMembership> groups;
  std::string_view line;
  while (next_line(text, line)) {
    const std::string_view id = next_until(line, ':');
    std::string_view controllers = next_until(line, ':');
    if (!parse_number<unsigned>(id) || !line.starts_with('/')) continue;
    CgroupMembership group;
    group.version = id == "0" && controllers.empty() ? 2 : 1;
    while (!controllers.empty()) group.controllers.emplace_back(next_until(controllers, ','));
    group.path = line;
    groups.push_back(std::move(group));
  }
  return groups;
}

std::string cgroup_path(const std::vector<CgroupMembership>& groups, std::string_view controller) {
  std::string v2;
  for (const auto& group : groups) {
    if (group.version == 2) v2 = group.path;
    const auto& names = group.controllers;
    if (std::find(names.begin(), names.end(), controller) != names.end()) return group.path;
  }
  return v2;
}

Result<ProcessInfo> read_process(const ProcFs& fs, pid_t pid) {
  const std::string stat_text = TRY(read_pid_file(fs, pid, "stat"));
  ProcStat stat = TRY(parse_proc_stat(stat_text));
  const std::string status_text = TRY(read_pid_file(fs, pid, "status"));
  ProcStatus status = parse_proc_status(status_text);

  ProcessInfo info;
  info.pid = status.tgid != 0 ? status.tgid : pid;
  info.ppid = stat.ppid;
  info.ns_pid = status.ns_pids.empty() ? info.pid : status.ns_pids.back();
  info.tracer = status.tracer;
  info.state = stat.state;
  info.comm = std::move(stat.comm);
  info.uid = status.uid;
  info.start_ticks = stat.start_ticks;
  info.threads = stat.threads;
  info.kernel_thread = stat.kernel_thread();
  info.cpus_allowed = std::move(status.cpus_allowed);
  info.net_ns = namespace_inode(fs, pid, "net");
  info.pid_ns = namespace_inode(fs, pid, "pid");
  if (auto exe = read_link(pid_path(fs, pid, "exe")); exe.ok()) info.exe = std::move(*exe);
  if (const auto text = read_pid_file(fs, pid, "cmdline"); text.ok()) {
    info.argv = parse_cmdline(*text);
  }
  if (const auto text = read_pid_file(fs, pid, "cgroup"); text.ok()) {
    info.cgroups = parse_proc_cgroup(*text);
  }
  return info;
}

bool is_alive(const ProcFs& fs, const ProcessInfo& info) {
  const auto text = read_pid_file(fs, info.pid, "stat");
  if (!text.ok()) return false;
  const auto stat = parse_proc_stat(*text);
  return stat.ok() && !stat->zombie() && stat->start_ticks == info.start_ticks;
}

Result<std::vector<ThreadInfo>> read_threads(const ProcFs& fs, pid_t pid) {
  const std::string directory = pid_path(fs, pid, "task");
  const auto tids = TRY(list_numbers(directory));
  std::vector<ThreadInfo> threads;
  threads.reserve(tids.size());
  for (const pid_t tid : tids) {
    const auto text = read_file(directory + "/" + std::to_string(tid) + "/stat");
    if (!text.ok()) continue;
    auto stat = parse_proc_stat(*text);
    if (!stat.ok()) continue;
    threads.push_back({tid, std::move(stat->comm), stat->state, stat->nice, stat->start_ticks});
  }
  return threads;
}

Result<SchedStat> read_schedstat(const ProcFs& fs, pid_t pid, pid_t tid) {
  const std::string text =
      TRY(read_pid_file(fs, pid, "task/" + std::to_string(tid) + "/schedstat"));
  return parse_schedstat(text);
}

Result<std::vector<pid_t>> read_descendants(const ProcFs& fs, pid_t pid) {
  const auto pids = TRY(list_numbers(fs.proc));
  std::unordered_map<pid_t, std::vector<pid_t>> children;
  for (const pid_t each : pids) {
    const auto text = read_pid_file(fs, each, "stat");
    if (!text.ok()) continue;
    const auto stat = parse_proc_stat(*text);
    if (stat.ok() && !stat->zombie()) children[stat->ppid].push_back(each);
  }
  std::vector<pid_t> found{pid};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto it = children.find(found[i]);
    if (it == children.end()) continue;
    found.insert(found.end(), it->second.begin(), it->second.end());
    children.erase(it);  // a cycle, which only a torn reading could show, ends here
  }
  found.erase(found.begin());
  return found;
}

std::string program_name(const ProcessInfo& info) {
  if (info.argv.empty() || info.argv[0].empty()) return info.comm;
  return info.argv[0].substr(info.argv[0].rfind('/') + 1);
}

std::string command_summary(const ProcessInfo& info, std::size_t limit) {
  std::string text = program_name(info);
  for (std::size_t i = 1; i < info.argv.size() && text.size() <= limit; ++i) {
    text += " " + info.argv[i];
  }
  if (text.size() > limit) text = text.substr(0, limit) + "...";
  return escape_text(text);
}

}  // namespace srvprof
