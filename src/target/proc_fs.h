// Where the facts of a machine and its processes are read. Only src/target knows these paths: it
// turns the text of /proc into plain data. Tests point ProcFs at a tree of their own.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace srvprof {

struct ProcFs {
  std::string proc = "/proc";
  std::string sys = "/sys";
};

// Larger files are refused: no file of /proc that is read whole comes near it.
inline constexpr std::size_t kProcFileLimit = std::size_t{256} << 20;

// "<proc>/<pid>" and "<proc>/<pid>/<name>".
std::string pid_path(const ProcFs& fs, pid_t pid);
std::string pid_path(const ProcFs& fs, pid_t pid, std::string_view name);

// All bytes that `some` gives until it gives none: read(2) or pread(2) of up to `most` bytes at `offset`.
// Errors: errno's, and more than `limit` bytes; both begin with `doing`.
using SomeBytes = std::function<ssize_t(char* to, std::size_t most, off_t offset)>;
Result<std::string> read_to_end(const SomeBytes& some, const std::string& doing, std::size_t limit);

// All bytes of the file; an Error if it is larger than `limit` or not readable.
Result<std::string> read_file(const std::string& path, std::size_t limit = kProcFileLimit);

// read_file of "<proc>/<pid>/<name>"; a process that is gone gives ErrorKind::kNoTarget.
Result<std::string> read_pid_file(const ProcFs& fs, pid_t pid, std::string_view name);

// What a symbolic link says, not what it leads to.
Result<std::string> read_link(const std::string& path);

// The entries of a directory whose names are decimal numbers (pids, tids, descriptors), ascending.
Result<std::vector<pid_t>> list_numbers(const std::string& directory);

// The inode of "<proc>/<pid>/ns/<kind>", e.g. kind "net" of "net:[4026531840]"; 0 if not readable.
std::uint64_t namespace_inode(const ProcFs& fs, pid_t pid, std::string_view kind);

// The number in "<prefix>[N]" (e.g. "socket:[123]"), or 0 if the text has another form.
std::uint64_t bracketed_number(std::string_view text, std::string_view prefix);

}  // namespace srvprof
