// Mounted file systems (/proc/PID/mountinfo).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/proc_fs.h"

namespace srvprof {

struct Mount {
  std::string root;         // the part of the file system that is mounted, e.g. "/docker/1f3c"
  std::string mount_point;  // relative to the reader's root
  std::string type;         // "cgroup2", "tracefs" ...
  std::vector<std::string> super_options;  // of a v1 cgroup: its controllers
};

// Malformed lines are left out.
std::vector<Mount> parse_mountinfo(std::string_view text);

// The mounts that srvprof itself sees.
Result<std::vector<Mount>> read_mounts(const ProcFs& fs);

}  // namespace srvprof
