#include <fmt/format.h>

#include "collect/capture_path.h"
#include "collect/kernel_log.h"
#include "collect/kernel_types.h"
#include "collect/probes.h"
#include "collect/session.h"
#include "target/privileges.h"

namespace srvprof {
namespace {

constexpr const char* kRunAsRoot = "sudo srvprof ...";

DoctorLine line(std::string name, bool ok, std::string found, std::string needed, std::string fix,
                ErrorKind kind, bool required = true) {
  DoctorLine l;
  l.name = std::move(name);
  l.ok = ok;
  l.required = required;
  l.found = std::move(found);
  l.needed = std::move(needed);
  l.fix = ok ? "" : std::move(fix);
  l.kind = kind;
  return l;
}

DoctorLine capability_line(const HostFacts& facts, LinuxCapability c, const char* what_for,
                           bool required) {
  const bool has = has_capability(facts, c);
  return line(std::string(capability_name(c)), has, has ? "held" : "missing", what_for,
              c == LinuxCapability::kSyslog
                  ? fmt::format("{} (or add cap_syslog to the program's file capabilities)", kRunAsRoot)
                  : fmt::format("{} (or once: {})", kRunAsRoot, grant_command()),
              ErrorKind::kPermission, required);
}

void add_privileges(const HostFacts& facts, std::vector<DoctorLine>& out) {
  out.push_back(capability_line(facts, LinuxCapability::kBpf, "loading the kernel side", true));
  out.push_back(capability_line(facts, LinuxCapability::kPerfmon, "attaching to tracepoints, samples",
                                true));
  out.push_back(capability_line(facts, LinuxCapability::kSysPtrace,
                                "names of the target's functions and files", false));
  out.push_back(capability_line(facts, LinuxCapability::kSyslog, "names of kernel functions", false));
}

void add_kernel(const HostFacts& facts, std::vector<DoctorLine>& out) {
  out.push_back(line("BTF", facts.btf, facts.btf ? "/sys/kernel/btf/vmlinux" : "none",
                     "a kernel built with CONFIG_DEBUG_INFO_BTF=y", "boot a distribution kernel",
                     ErrorKind::kKernel));
  const bool confidential = facts.lockdown == "confidentiality";
  out.push_back(line("lockdown", !confidential, facts.lockdown.empty() ? "not built in" : facts.lockdown,
                     "none or integrity", "boot with lockdown=integrity", ErrorKind::kKernel));
  if (facts.perf_event_paranoid) {
    const int found = *facts.perf_event_paranoid;
    const bool ok = found <= 2 || has_capability(facts, LinuxCapability::kPerfmon);
    out.push_back(line("perf_event_paranoid", ok, std::to_string(found),
                       "at most 2, or CAP_PERFMON (on-CPU samples)",
                       "sudo sysctl kernel.perf_event_paranoid=2", ErrorKind::kPermission, false));
  }
  out.push_back(line("pid namespace", !facts.own_pid_namespace,
                     facts.own_pid_namespace ? "a container's own" : "the host's",
                     "the host's: the kernel's programs see its numbers",
                     "run it on the host, or start the container with --pid=host", ErrorKind::kKernel));
}

// Probes of the way of capture that would be chosen, and of everything else.
void add_tracepoints(const std::string& capture, std::vector<DoctorLine>& out) {
  for (const ProbeInfo& probe : list_probes(capture)) {
    if (!probe.name.starts_with("tp_btf/")) continue;
    const bool there = kernel_has_tracepoint(probe.name.substr(7, probe.name.find(' ') - 7));
    out.push_back(line(probe.name, there, there ? "in this kernel" : "not in this kernel", probe.purpose, "",
                       ErrorKind::kKernel, !probe.optional));
  }
}

// Each way of capture, loaded and attached as `chosen`, the one that is used, already was.
void add_ways(const CapturePath& chosen, std::vector<DoctorLine>& out) {
  for (const CapturePath& path : capture_paths()) {
    const bool used = &path == &chosen;
    const auto tried = used ? Result<const CapturePath*>(&chosen) : try_load(path.name);
    std::string found = tried.ok() ? "loads and attaches" : tried.error().what;
    if (tried.ok() && kernel_may_skip(path)) found += ", but this kernel may preempt its hooks and skip some";
    if (used) found += ": it is used";
    out.push_back(line(std::string("capture ") + path.name, tried.ok(), found, path.hooks, "",
                       ErrorKind::kKernel, false));
  }
}

}  // namespace

std::vector<DoctorLine> doctor(bool print_log) {
  print_kernel_log(print_log);
  std::vector<DoctorLine> out;
  const HostFacts facts = read_host_facts(ProcFs{});
  add_privileges(facts, out);
  add_kernel(facts, out);
  const auto loaded = try_load();
  if (facts.btf) add_tracepoints(loaded.ok() ? (*loaded)->name : "auto", out);
  if (loaded.ok()) add_ways(**loaded, out);
  DoctorLine l = line("kernel side", loaded.ok(),
                      loaded.ok() ? fmt::format("loads and attaches, captures by {}", (*loaded)->hooks) : "refused",
                      "verifier, ring buffer, BTF", "", ErrorKind::kKernel);
  if (!loaded.ok()) {
    l.found = loaded.error().what;
    l.fix = loaded.error().hint;
    l.kind = loaded.error().kind;
  }
  out.push_back(l);
  if (loaded.ok()) {
    const Status walker = try_walker();
    out.push_back(line("stack walker", walker.ok(), walker.ok() ? "loads" : walker.error().what,
                       "bpf_loop (Linux 5.17): complete stacks of code without frame pointers",
                       "Linux 5.17 or newer", ErrorKind::kKernel, false));
  }
  return out;
}

}  // namespace srvprof
