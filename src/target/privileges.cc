#include "target/privileges.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/parse.h"
#include "target/mountinfo.h"
#include "target/stat.h"

namespace srvprof {
namespace {

// Inode of the initial pid namespace on every kernel (PROC_PID_INIT_INO).
constexpr std::uint64_t kInitialPidNamespace = 0xeffffffc;

std::optional<int> read_int(const std::string& path) {
  const auto text = read_file(path);
  return text.ok() ? parse_number<int>(trim(*text)) : std::nullopt;
}

std::string find_tracefs(const ProcFs& fs) {
  const auto mounts = read_mounts(fs);
  if (!mounts.ok()) return "";
  std::string below_debugfs;
  for (const auto& mount : *mounts) {
    if (mount.type == "tracefs") return mount.mount_point;
    if (mount.type == "debugfs") below_debugfs = mount.mount_point + "/tracing";
  }
  // debugfs mounts it by itself at the first access.
  return !below_debugfs.empty() && ::access(below_debugfs.c_str(), F_OK) == 0 ? below_debugfs : "";
}

bool bit(std::uint64_t mask, LinuxCapability capability) {
  return (mask >> static_cast<unsigned>(capability) & 1u) != 0;
}

}  // namespace

std::string_view capability_name(LinuxCapability capability) {
  switch (capability) {
    case LinuxCapability::kChown: return "CAP_CHOWN";
    case LinuxCapability::kDacOverride: return "CAP_DAC_OVERRIDE";
    case LinuxCapability::kDacReadSearch: return "CAP_DAC_READ_SEARCH";
    case LinuxCapability::kKill: return "CAP_KILL";
    case LinuxCapability::kSetGid: return "CAP_SETGID";
    case LinuxCapability::kSetUid: return "CAP_SETUID";
    case LinuxCapability::kNetAdmin: return "CAP_NET_ADMIN";
    case LinuxCapability::kSysPtrace: return "CAP_SYS_PTRACE";
    case LinuxCapability::kSysAdmin: return "CAP_SYS_ADMIN";
    case LinuxCapability::kSyslog: return "CAP_SYSLOG";
    case LinuxCapability::kPerfmon: return "CAP_PERFMON";
    case LinuxCapability::kBpf: return "CAP_BPF";
    case LinuxCapability::kCheckpointRestore: return "CAP_CHECKPOINT_RESTORE";
  }
  return "CAP_?";
}

std::string parse_lockdown(std::string_view text) {
  const auto open = text.find('['), close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return "";
  return std::string(text.substr(open + 1, close - open - 1));
}

HostFacts read_host_facts(const ProcFs& fs) {
  HostFacts facts;
  const std::string sysctl = fs.proc + "/sys/kernel/";
  if (const auto text = read_file(sysctl + "osrelease"); text.ok()) {
    facts.kernel_release = trim(*text);
  }
  facts.btf = ::access((fs.sys + "/kernel/btf/vmlinux").c_str(), F_OK) == 0;
  if (const auto text = read_file(fs.sys + "/kernel/security/lockdown"); text.ok()) {
    facts.lockdown = parse_lockdown(*text);
  }
  facts.tracefs = find_tracefs(fs);
  facts.perf_event_paranoid = read_int(sysctl + "perf_event_paranoid");
  facts.unprivileged_bpf_disabled = read_int(sysctl + "unprivileged_bpf_disabled");
  facts.kptr_restrict = read_int(sysctl + "kptr_restrict");
  facts.perf_event_max_stack = read_int(sysctl + "perf_event_max_stack");
  if (const auto text = read_file(fs.sys + "/devices/system/cpu/online"); text.ok()) {
    facts.online_cpus = static_cast<unsigned>(parse_cpu_list(*text).size());
  }
  if (const auto text = read_file(fs.proc + "/self/status"); text.ok()) {
    const ProcStatus status = parse_proc_status(*text);
    facts.uid = status.uid;
    facts.cap_effective = status.cap_effective;
    facts.cap_bounding = status.cap_bounding;
  }
  if (const auto link = read_link(fs.proc + "/self/ns/pid"); link.ok()) {
    facts.own_pid_namespace = bracketed_number(*link, "pid:") != kInitialPidNamespace;
  }
  return facts;
}

bool has_capability(const HostFacts& facts, LinuxCapability capability) {
  if (bit(facts.cap_effective, capability)) return true;
  const bool admin_is_enough =
      capability == LinuxCapability::kBpf || capability == LinuxCapability::kPerfmon ||
      capability == LinuxCapability::kSyslog || capability == LinuxCapability::kCheckpointRestore;
  return admin_is_enough && bit(facts.cap_effective, LinuxCapability::kSysAdmin);
}

std::string grant_command() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,cap_dac_read_search+ep " +
         (error ? "srvprof" : self.string());
}

Status keep_capabilities(std::span<const LinuxCapability> keep) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (::syscall(SYS_capget, &header, data) != 0) return errno_error("reading own capabilities", errno);
  std::uint32_t mask[_LINUX_CAPABILITY_U32S_3] = {};
  for (const LinuxCapability c : keep) {
    mask[static_cast<unsigned>(c) / 32] |= 1u << (static_cast<unsigned>(c) % 32);
  }
  for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; ++i) {
    data[i].permitted &= mask[i];
    data[i].effective &= mask[i];
    data[i].inheritable = 0;
  }
  if (::syscall(SYS_capset, &header, data) != 0) return errno_error("giving up capabilities", errno);
  return {};
}

}  // namespace srvprof
