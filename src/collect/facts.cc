#include "collect/facts.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "records.h"
#include "runtime/runtime.h"
#include "target/cgroup.h"
#include "target/find.h"
#include "target/privileges.h"

namespace srvprof {
namespace {

constexpr std::size_t kDefaultRing = std::size_t{16} << 20;
constexpr std::size_t kLargestRing = std::size_t{1} << 30;

std::string join(const std::vector<std::string>& words) { return fmt::format("{}", fmt::join(words, " ")); }

}  // namespace

Result<std::vector<ProcessInfo>> find_targets(const ProcFs& fs, const CaptureOptions& options) {
  std::vector<ProcessInfo> targets;
  std::set<pid_t> seen;
  for (std::uint32_t pid : options.pids) {
    ProcessInfo info = TRY(find_by_pid(fs, static_cast<pid_t>(pid)));
    if (!seen.insert(info.pid).second) continue;
    const pid_t parent = info.pid;
    targets.push_back(std::move(info));
    if (!options.follow_children) continue;
    auto children = read_descendants(fs, parent);
    if (!children) continue;
    for (pid_t child : *children) {
      auto c = read_process(fs, child);
      if (c && seen.insert(child).second) targets.push_back(std::move(*c));
    }
  }
  if (targets.empty()) return Error{"attaching: no process given", "", ErrorKind::kNoTarget};
  return targets;
}

Status check_can_capture() {
  const HostFacts facts = read_host_facts(ProcFs{});
  std::vector<std::string> missing;
  for (LinuxCapability c : {LinuxCapability::kBpf, LinuxCapability::kPerfmon}) {
    if (!has_capability(facts, c)) missing.emplace_back(capability_name(c));
  }
  if (!missing.empty()) {
    return Error{fmt::format("attaching: this process lacks {}", fmt::join(missing, " and ")),
                 "run it as root: sudo srvprof attach ...; or let an ordinary user, once: " + grant_command(),
                 ErrorKind::kPermission};
  }
  if (facts.own_pid_namespace) {
    return Error{"attaching: srvprof runs in a pid namespace of its own (a container), where processes have "
                 "other numbers than the kernel's programs see",
                 "run it on the host, with the pid that the process has there, or start this container with "
                 "the host's pid namespace (docker run --pid=host)",
                 ErrorKind::kKernel};
  }
  if (!facts.btf) {
    return Error{"attaching: the kernel has no BTF (/sys/kernel/btf/vmlinux)",
                 "use a kernel built with CONFIG_DEBUG_INFO_BTF=y (every current distribution's is)",
                 ErrorKind::kKernel};
  }
  if (facts.lockdown == "confidentiality") {
    return Error{"attaching: kernel lockdown is 'confidentiality', which forbids BPF to read memory",
                 "boot with lockdown=integrity or without lockdown", ErrorKind::kKernel};
  }
  return {};
}

void drop_privileges_for_recording(RecordingWriter& writer) {
  using enum LinuxCapability;
  // SYS_ADMIN: BPF_ENABLE_STATS, which own cost is told from, asks for it; KILL, SETUID, SETGID: the load
  // runs as another user; BPF, PERFMON: probes for children that come later.
  constexpr LinuxCapability kKept[] = {kChown,     kDacOverride, kDacReadSearch, kKill,    kSetGid, kSetUid,
                                       kSysPtrace, kSysAdmin,    kSyslog,        kPerfmon, kBpf};
  if (const Status s = keep_capabilities(kKept); !s.ok()) {
    writer.add(rows::Capability{"privileges", true, s.error().what});
  }
}

void drop_privileges_for_report() {
  using enum LinuxCapability;
  constexpr LinuxCapability kKept[] = {kChown, kDacOverride, kDacReadSearch};
  (void)keep_capabilities(kKept);  // nothing is traced any more: there is nobody to tell
}

std::size_t ring_size(std::size_t wanted) {
  if (wanted == 0) return kDefaultRing;
  return std::bit_ceil(std::clamp<std::size_t>(wanted, 65536, kLargestRing));
}

bool cpu_is_v1(const ProcessInfo& process) {
  return std::any_of(process.cgroups.begin(), process.cgroups.end(), [](const CgroupMembership& g) {
    return g.version == 1 &&
           std::find(g.controllers.begin(), g.controllers.end(), "cpu") != g.controllers.end();
  });
}

void write_meta(const CaptureOptions& options, const std::vector<ProcessInfo>& targets,
                const ProbeConfig& config, const std::string& runtime, RecordingWriter& writer) {
  const ProcessInfo& target = targets.front();
  const HostFacts host = read_host_facts(ProcFs{});
  auto put = [&](std::string key, std::string value) {
    writer.add(rows::Meta{std::move(key), std::move(value)});
  };
  put("srvprof.version", SRVPROF_VERSION);
  put("srvprof.command", options.command_line);
  put("srvprof.pid", std::to_string(::getpid()));
  put("mode", options.full ? "full" : "default");
  put("host.kernel", host.kernel_release);
  put("host.cpus", std::to_string(host.online_cpus));
  put("target.pid", std::to_string(target.pid));
  put("target.comm", target.comm);
  put("target.exe", target.exe);
  put("target.argv", join(target.argv));
  put("target.runtime", runtime);
  put("target.cgroup.cpu", cgroup_path(target.cgroups, "cpu"));
  put("target.cpus", target.cpus_allowed);
  put("target.ports", fmt::format("{}", fmt::join(config.ports, ",")));
  put("option.keep-query", options.keep_query ? "1" : "0");
  put("option.follow-children", options.follow_children ? "1" : "0");
  using Clients = CaptureOptions::Clients;
  put("option.client", options.clients == Clients::kAll ? "all" : options.clients == Clients::kNone ? "off" : "started");
  put("option.frequency", std::to_string(options.frequency));
  put("option.ring-bytes", std::to_string(config.ring_bytes));
}

void write_listeners(const Listeners& listeners, std::uint32_t pid, RecordingWriter& writer) {
  const Time now = MonotonicClock::now();
  for (const ListeningSocket& l : listeners.tcp) {
    writer.add(rows::Listener{now, pid, l.local.port, l.backlog.value_or(0), to_string(l.local.address)});
  }
  for (const std::string& path : listeners.unix_paths) {
    writer.add(rows::Capability{"listener.unix " + path, false,
                                "requests on Unix sockets are not measured"});
  }
  for (const Endpoint& e : listeners.udp) {
    writer.add(rows::Capability{"listener.udp " + to_string(e), false,
                                "datagrams (HTTP/3 ...) are not measured"});
  }
}

void write_thread_hints(const std::string& runtimes, RecordingWriter& writer) {
  for (const Runtime& runtime : all_runtimes()) {
    if (runtimes.find(runtime.name) == std::string::npos) continue;
    for (const ThreadHint& hint : runtime.threads) {
      const char* by = hint.by == ThreadHint::By::kComm ? "comm" : "function";
      writer.add(rows::Meta{fmt::format("role.{}.{}", by, hint.pattern),
                            fmt::format("{}:{}", hint.role, hint.words)});
    }
  }
}

void write_threads(const ProcFs& fs, const ProcessInfo& process, RecordingWriter& writer) {
  auto threads = read_threads(fs, process.pid);
  if (!threads) return;
  const Time now = MonotonicClock::now();
  for (const ThreadInfo& t : *threads) {
    rows::Task row;
    row.t = now;
    row.tid = static_cast<std::uint32_t>(t.tid);
    row.pid = static_cast<std::uint32_t>(process.pid);
    row.flags = SP_TASK_TARGET;
    row.nice = t.nice;
    row.comm = t.comm;
    writer.add(row);
  }
}

void write_capabilities(const Probes& probes, const ProbeConfig& config, RecordingWriter& writer) {
  for (const ProbeStatus& s : probes.status()) writer.add(rows::Capability{s.name, s.used, s.detail});
  writer.add(rows::Capability{"stacks.user", config.frequency != 0,
                              "at most 127 frames; off CPU at most one in 10 ms a thread unless --full"});
  writer.add(rows::Capability{"stacks.kernel.off-cpu", true, "of waits of 1 ms and more"});
  writer.add(rows::Capability{"irq", config.irq,
                              config.irq ? "" : "interrupts on top of the target: ask with --irq"});
}

}  // namespace srvprof
