// Opening files as the target sees them, without letting the target choose what else we read: its
// root may be a container's, its links may point anywhere, its files may be fifos.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "target/maps.h"
#include "target/proc_fs.h"

namespace srvprof {

// The root directory of a process (O_PATH). It stays usable after the process has ended.
Result<Fd> open_root(const ProcFs& fs, pid_t pid);

enum class Links {
  kInsideRoot,  // symbolic links are followed, but never out of the root
  kNone,        // no component may be a symbolic link
};

// Opens a regular file for reading, `path` being absolute inside `root`. Where the kernel has no
// openat2 (before 5.6), links are not followed at all.
Result<Fd> open_in_root(const Fd& root, const std::string& path, Links links);

// The file behind a mapping: through map_files, which is exact even when the file was replaced or
// deleted, else by its path inside the root if the inode there is the mapped one.
Result<Fd> open_mapped_file(const ProcFs& fs, pid_t pid, const Fd& root,
                            const MemoryMapping& mapping);

// /tmp/perf-<ns_pid>.map inside the root. Anybody may write to /tmp: opened only without links and
// if its owner is `owner`.
Result<Fd> open_perf_map(const Fd& root, pid_t ns_pid, uid_t owner);

// The addresses and names of the kernel's functions.
Result<Fd> open_kallsyms(const ProcFs& fs);

// A path that leads to just the file that is open as `fd` in this process, for those who want a path.
std::string path_of_open_file(const Fd& fd);

// All bytes of an open file from offset 0; an Error if there are more than `limit`.
Result<std::string> read_all(const Fd& fd, std::size_t limit);

}  // namespace srvprof
