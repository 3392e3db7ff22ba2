// CPU quota, throttling and freezing of a process's cgroups, v1 and v2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "target/mountinfo.h"
#include "target/proc_fs.h"
#include "target/process.h"

namespace srvprof {

// At most `quota` of CPU time in each `period`.
struct CpuQuota {
  Duration quota{};
  Duration period{};

  double cpus() const { return to_seconds(quota) / to_seconds(period); }
};

// cpu.max of v2 ("max 100000", "50000 100000"): nothing if unlimited or malformed.
std::optional<CpuQuota> parse_cpu_max(std::string_view text);
// cpu.cfs_quota_us and cpu.cfs_period_us of v1; quota -1 = unlimited.
std::optional<CpuQuota> parse_cfs_quota(std::string_view quota_us, std::string_view period_us);

// Cumulative counters of cpu.stat; `throttled` is summed over CPUs. A group of v2 without the cpu
// controller has none of them: `measured` is false.
struct CpuThrottling {
  bool measured = false;
  std::uint64_t periods = 0;
  std::uint64_t throttled_periods = 0;
  Duration throttled{};
};
// Both forms: throttled_time in ns (v1), throttled_usec (v2).
CpuThrottling parse_cpu_stat(std::string_view text);

// One group on the way from the process's own to the root.
struct CpuCgroupLevel {
  std::string path;       // within the hierarchy, "/" = its visible root
  std::string directory;  // where its files are
  std::uint64_t id = 0;   // as bpf_get_current_cgroup_id() has it; 0 = not readable
  std::optional<CpuQuota> quota;
};

struct CpuCgroup {
  int version = 2;
  std::vector<CpuCgroupLevel> levels;  // never empty; the process's own group first
};

// The hierarchy that holds the cpu controller. Error if it is not mounted, or the group lies
// outside of what srvprof sees (another cgroup namespace).
Result<CpuCgroup> read_cpu_cgroup(const ProcFs& fs, const std::vector<CgroupMembership>& groups);

// The level whose quota is the smallest in CPUs: the effective one. Null = no quota at any level.
const CpuCgroupLevel* limiting_level(const CpuCgroup& cgroup);

Result<CpuThrottling> read_cpu_throttling(const CpuCgroupLevel& level);

// Whether a freezer holds the process stopped (it or an ancestor). Error if no hierarchy can tell.
Result<bool> read_frozen(const ProcFs& fs, const std::vector<CgroupMembership>& groups);

// The directory of `path` of the hierarchy that `mount` shows, e.g. "/sys/fs/cgroup/cpu/web";
// nothing when the path lies outside of it.
std::optional<std::string> cgroup_directory(const Mount& mount, std::string_view path);

}  // namespace srvprof
