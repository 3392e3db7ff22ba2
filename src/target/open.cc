#include "target/open.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string_view>

#include "base/escape.h"
#include "base/parse.h"

namespace srvprof {
namespace {

// O_NONBLOCK: opening a fifo must not hang; it is refused afterwards.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

Result<Fd> only_regular(Fd fd, const std::string& what) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return errno_error(what, errno);
  if (!S_ISREG(st.st_mode)) return Error{what + ": not a regular file", "", ErrorKind::kFailed};
  return fd;
}

// Component by component, none of which may be a link. For kernels without openat2.
Result<Fd> walk(const Fd& root, std::string_view path, const std::string& what) {
  Fd directory(::openat(root.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (directory.valid()) {
    const std::string name(next_until(path, '/'));
    if (name == "..") return Error{what + ": leads upwards", "", ErrorKind::kFailed};
    if (path.empty()) {
      Fd file(::openat(directory.get(), name.c_str(), kReadFlags | O_NOFOLLOW));
      if (!file.valid()) return errno_error(what, errno);
      return file;
    }
    if (name.empty() || name == ".") continue;
    directory.reset(
        ::openat(directory.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return errno_error(what, errno);
}

}  // namespace

Result<Fd> open_root(const ProcFs& fs, pid_t pid) {
  const std::string path = pid_path(fs, pid, "root");
  Fd root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!root.valid()) return errno_error("opening " + path, errno);
  return root;
}

Result<Fd> open_in_root(const Fd& root, const std::string& path, Links links) {
  const std::string what = "opening " + escape_text(path) + " of the target";
  if (path.find('\0') != std::string::npos) {
    return Error{what + ": not a path", "", ErrorKind::kFailed};
  }
  open_how how{};
  how.flags = static_cast<unsigned>(kReadFlags);
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  if (links == Links::kNone) how.resolve |= RESOLVE_NO_SYMLINKS;
  Fd file(static_cast<int>(::syscall(SYS_openat2, root.get(), path.c_str(), &how, sizeof how)));
  if (file.valid()) return only_regular(std::move(file), what);
  if (errno != ENOSYS && errno != EPERM) return errno_error(what, errno);
  // EPERM: old container runtimes filter the system calls that they do not know.
  return only_regular(TRY(walk(root, path, what)), what);
}

Result<Fd> open_mapped_file(const ProcFs& fs, pid_t pid, const Fd& root,
                            const MemoryMapping& mapping) {
  char range[40];
  std::snprintf(range, sizeof range, "map_files/%lx-%lx", static_cast<unsigned long>(mapping.start),
                static_cast<unsigned long>(mapping.end));
  Fd exact(::open(pid_path(fs, pid, range).c_str(), kReadFlags));
  if (exact.valid()) return only_regular(std::move(exact), "opening " + escape_text(mapping.path));
  // map_files needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN.
  const std::string what = "opening " + escape_text(mapping.path) + " of the target";
  if (mapping.deleted) return Error{what + ": deleted", "", ErrorKind::kFailed};
  Fd file = TRY(open_in_root(root, mapping.path, Links::kInsideRoot));
  struct stat st {};
  if (::fstat(file.get(), &st) != 0) return errno_error(what, errno);
  // The device is not compared: overlay and btrfs show one number in maps and another in stat.
  if (st.st_ino != mapping.inode) {
    return Error{what + ": replaced by another file since it was mapped", "", ErrorKind::kFailed};
  }
  return file;
}

Result<Fd> open_perf_map(const Fd& root, pid_t ns_pid, uid_t owner) {
  const std::string path = "/tmp/perf-" + std::to_string(ns_pid) + ".map";
  Fd file = TRY(open_in_root(root, path, Links::kNone));
  struct stat st {};
  if (::fstat(file.get(), &st) != 0) return errno_error("opening " + path, errno);
  if (st.st_uid != owner) {
    return Error{"opening " + path + " of the target: owned by uid " + std::to_string(st.st_uid) +
                     ", not by the target's " + std::to_string(owner),
                 "", ErrorKind::kPermission};
  }
  return file;
}

Result<Fd> open_kallsyms(const ProcFs& fs) {
  const std::string path = fs.proc + "/kallsyms";
  Fd file(::open(path.c_str(), kReadFlags));
  if (!file.valid()) return errno_error("opening " + path, errno);
  return file;
}

Result<std::string> read_all(const Fd& fd, std::size_t limit) {
  return read_to_end(
      [&](char* to, std::size_t most, off_t offset) { return ::pread(fd.get(), to, most, offset); },
      "reading a file", limit);
}

std::string path_of_open_file(const Fd& fd) { return "/proc/self/fd/" + std::to_string(fd.get()); }

}  // namespace srvprof
