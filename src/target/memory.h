// Reading the memory of a living process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"

namespace srvprof {

// Exactly `length` bytes at `address` (process_vm_readv: the target is not stopped, so the bytes
// may be torn). Needs the right to ptrace the process. At most 64 MiB.
Result<std::string> read_memory(pid_t pid, std::uint64_t address, std::size_t length);

// The memory of a process as those see it who follow pointers there: fills `out` from `address`, or
// returns false where not all of it is mapped. Tests give images of memory instead.
using MemoryReader = std::function<bool(std::uint64_t address, std::span<std::byte> out)>;

MemoryReader memory_of(pid_t pid);

// A value of a type without padding, or nothing.
template <class T>
std::optional<T> read_value(const MemoryReader& memory, std::uint64_t address) {
  T value;
  if (!memory(address, std::as_writable_bytes(std::span(&value, 1)))) return std::nullopt;
  return value;
}

// Eight-byte words from `address` on. Those that cannot be read, as behind the end of a page, are 0.
void read_words(const MemoryReader& memory, std::uint64_t address, std::span<std::uint64_t> words);

}  // namespace srvprof
