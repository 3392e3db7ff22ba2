#include "target/cgroup.h"

#include <sys/stat.h>

#include <algorithm>

#include "base/parse.h"

namespace srvprof {
namespace {

std::optional<CpuQuota> make_quota(std::int64_t quota_us, std::int64_t period_us) {
  constexpr std::int64_t kMaxUs = std::int64_t{1} << 50;  // keeps the product within int64
  if (quota_us <= 0 || period_us <= 0 || quota_us > kMaxUs || period_us > kMaxUs) {
    return std::nullopt;
  }
  return CpuQuota{std::chrono::microseconds(quota_us), std::chrono::microseconds(period_us)};
}

bool contains(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Where the group of one controller is: the v1 hierarchy that has it, else the v2 one.
struct Place {
  int version = 0;
  std::string path;
  std::string directory;
  std::string mount_point;
};

Result<Place> find_place(const ProcFs& fs, const std::vector<CgroupMembership>& groups,
                         std::string_view controller) {
  const CgroupMembership* group = nullptr;
  for (const auto& each : groups) {
    if (each.version == 1 && contains(each.controllers, controller)) group = &each;
  }
  for (const auto& each : groups) {
    if (group == nullptr && each.version == 2) group = &each;
  }
  const std::string what = "finding the cgroup of the " + std::string(controller) + " controller: ";
  if (group == nullptr) return Error{what + "the process is in none", "", ErrorKind::kKernel};
  const auto mounts = TRY(read_mounts(fs));
  bool mounted = false;
  for (const auto& mount : mounts) {
    const bool fits = group->version == 2
                          ? mount.type == "cgroup2"
                          : mount.type == "cgroup" && contains(mount.super_options, controller);
    if (!fits) continue;
    mounted = true;
    const auto directory = cgroup_directory(mount, group->path);
    struct stat st {};
    if (!directory || ::stat(directory->c_str(), &st) != 0) continue;
    return Place{group->version, group->path, *directory, mount.mount_point};
  }
  return Error{what + (mounted ? group->path + " is outside of what is visible here"
                               : "the hierarchy is not mounted"),
               mounted ? "run srvprof on the host instead of in a container" : "",
               ErrorKind::kKernel};
}

std::optional<CpuQuota> read_quota(int version, const std::string& directory) {
  if (version == 2) {
    const auto text = read_file(directory + "/cpu.max");
    return text.ok() ? parse_cpu_max(*text) : std::nullopt;
  }
  const auto quota = read_file(directory + "/cpu.cfs_quota_us");
  const auto period = read_file(directory + "/cpu.cfs_period_us");
  return quota.ok() && period.ok() ? parse_cfs_quota(*quota, *period) : std::nullopt;
}

std::uint64_t directory_inode(const std::string& directory) {
  struct stat st {};
  return ::stat(directory.c_str(), &st) == 0 ? st.st_ino : 0;
}

// Cuts the last component off; false at "/" (of a path) or at the mount point (of a directory).
bool go_up(std::string& path, std::string_view top) {
  if (path.size() <= top.size() || path == "/") return false;
  path.resize(path.rfind('/'));
  if (path.empty()) path = "/";
  return path.size() >= top.size();
}

}  // namespace

std::optional<CpuQuota> parse_cpu_max(std::string_view text) {
  text = trim(text);
  const auto quota = parse_number<std::int64_t>(next_field(text));
  const auto period = parse_number<std::int64_t>(trim(text));
  return quota && period ? make_quota(*quota, *period) : std::nullopt;
}

std::optional<CpuQuota> parse_cfs_quota(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_number<std::int64_t>(trim(quota_us));
  const auto period = parse_number<std::int64_t>(trim(period_us));
  return quota && period ? make_quota(*quota, *period) : std::nullopt;
}

CpuThrottling parse_cpu_stat(std::string_view text) {
  CpuThrottling t;
  std::string_view line;
  while (next_line(text, line)) {
    const std::string_view key = next_field(line);
    const auto value = parse_number<std::int64_t>(trim(line));
    if (!value || *value < 0) continue;
    if (key == "nr_periods") {
      t.measured = true;
      t.periods = static_cast<std::uint64_t>(*value);
    } else if (key == "nr_throttled") {
      t.throttled_periods = static_cast<std::uint64_t>(*value);
    } else if (key == "throttled_time") {
      t.throttled = Duration(*value);
    } else if (key == "throttled_usec" && *value < (std::int64_t{1} << 50)) {
      t.throttled = std::chrono::microseconds(*value);
    }
  }
  return t;
}

std::optional<std::string> cgroup_directory(const Mount& mount, std::string_view path) {
  if (path.starts_with("/..")) return std::nullopt;
  std::string_view below = path;
  if (mount.root != "/") {
    if (!path.starts_with(mount.root)) return std::nullopt;
    below.remove_prefix(mount.root.size());
    if (!below.empty() && !below.starts_with('/')) return std::nullopt;
  }
  if (below == "/") below = {};
  return mount.mount_point + std::string(below);
}

Result<CpuCgroup> read_cpu_cgroup(const ProcFs& fs, const std::vector<CgroupMembership>& groups) {
  Place place = TRY(find_place(fs, groups, "cpu"));
  CpuCgroup cgroup;
  cgroup.version = place.version;
  bool more = true;
  while (more) {
    cgroup.levels.push_back({place.path, place.directory, directory_inode(place.directory),
                             read_quota(place.version, place.directory)});
    more = go_up(place.directory, place.mount_point) && go_up(place.path, "/");
  }
  return cgroup;
}

const CpuCgroupLevel* limiting_level(const CpuCgroup& cgroup) {
  const CpuCgroupLevel* smallest = nullptr;
  for (const auto& level : cgroup.levels) {
    if (!level.quota) continue;
    if (smallest == nullptr || level.quota->cpus() < smallest->quota->cpus()) smallest = &level;
  }
  return smallest;
}

Result<CpuThrottling> read_cpu_throttling(const CpuCgroupLevel& level) {
  const std::string text = TRY(read_file(level.directory + "/cpu.stat"));
  return parse_cpu_stat(text);
}

Result<bool> read_frozen(const ProcFs& fs, const std::vector<CgroupMembership>& groups) {
  const Place place = TRY(find_place(fs, groups, "freezer"));
  if (place.version == 1) {
    const std::string state = TRY(read_file(place.directory + "/freezer.state"));
    return trim(state) != "THAWED";
  }
  const std::string events = TRY(read_file(place.directory + "/cgroup.events"));
  return events.find("frozen 1") != std::string::npos;
}

}  // namespace srvprof
