// What this kernel and our own privileges allow: the facts behind `doctor` and behind every message
// that names a missing right.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "target/proc_fs.h"

namespace srvprof {

// Numbers of linux/capability.h.
enum class LinuxCapability : unsigned {
  kChown = 0,
  kDacOverride = 1,
  kDacReadSearch = 2,
  kKill = 5,
  kSetGid = 6,
  kSetUid = 7,
  kNetAdmin = 12,
  kSysPtrace = 19,
  kSysAdmin = 21,
  kSyslog = 34,
  kPerfmon = 38,
  kBpf = 39,
  kCheckpointRestore = 40,
};

std::string_view capability_name(LinuxCapability capability);  // "CAP_BPF"

struct HostFacts {
  std::string kernel_release;  // "6.1.0-18-amd64"
  bool btf = false;            // /sys/kernel/btf/vmlinux exists
  std::string lockdown;        // "none", "integrity", "confidentiality"; "" = kernel without it
  std::string tracefs;         // mount point, "" = not mounted
  std::optional<int> perf_event_paranoid;
  std::optional<int> unprivileged_bpf_disabled;
  std::optional<int> kptr_restrict;
  std::optional<int> perf_event_max_stack;
  unsigned online_cpus = 0;
  uid_t uid = 0;  // effective
  std::uint64_t cap_effective = 0;
  std::uint64_t cap_bounding = 0;
  bool own_pid_namespace = false;  // srvprof runs in a container's: it does not see all processes
};

// Facts that cannot be read keep their default.
HostFacts read_host_facts(const ProcFs& fs);

// Effective; CAP_SYS_ADMIN stands for BPF, PERFMON, SYSLOG and CHECKPOINT_RESTORE as in the kernel.
bool has_capability(const HostFacts& facts, LinuxCapability capability);

// The command that lets an ordinary user record with this very program (capabilities(7), "File capabilities"):
// "sudo setcap cap_bpf,...+ep /usr/bin/srvprof".
std::string grant_command();

// Gives up every capability of this thread but these, for good (capset(2)). One that is not held stays
// so. Children that are executed as uid 0 get their own anew.
Status keep_capabilities(std::span<const LinuxCapability> keep);

// The word in brackets of "[none] integrity confidentiality".
std::string parse_lockdown(std::string_view text);

}  // namespace srvprof
