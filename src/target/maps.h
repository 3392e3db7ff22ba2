// The memory mappings of a process (/proc/PID/maps).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "target/proc_fs.h"

namespace srvprof {

enum class MappingKind {
  kFile,       // a file, perhaps deleted since
  kAnonymous,  // no name, "[anon:...]", or /memfd:, /dev/zero, shared memory: where JIT code lives
  kHeap,
  kStack,
  kVdso,
  kVsyscall,
  kSpecial,  // [vvar], [uprobes] and other pseudo names
};

// Addresses [start, end); `offset` is the file offset of `start`. `path` is as seen from the
// process's own root, and hostile text.
struct MemoryMapping {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t offset = 0;
  bool read = false;
  bool write = false;
  bool exec = false;
  bool shared = false;
  bool deleted = false;
  MappingKind kind = MappingKind::kAnonymous;
  std::uint64_t device = 0;  // as st_dev has it
  std::uint64_t inode = 0;
  std::string path;
};

// Ascending by address. Malformed lines are left out, and so are lines that overlap an earlier one.
std::vector<MemoryMapping> parse_maps(std::string_view text);

Result<std::vector<MemoryMapping>> read_maps(const ProcFs& fs, pid_t pid);

// The mapping that holds `address`, or null. Precondition: `maps` is ascending.
const MemoryMapping* find_mapping(std::span<const MemoryMapping> maps, std::uint64_t address);

// The offset in the mapped file of an address inside `mapping`. A file may be mapped many times (V8
// maps its builtins twice), so the answer depends on the mapping, never on one load bias per file.
inline std::uint64_t file_offset(const MemoryMapping& mapping, std::uint64_t address) {
  return address - mapping.start + mapping.offset;
}

}  // namespace srvprof
