// Reading the memory of a living process.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace srvprof {

// Exactly `length` bytes at `address` (process_vm_readv: the target is not stopped, so the bytes
// may be torn). Needs the right to ptrace the process. At most 64 MiB.
Result<std::string> read_memory(pid_t pid, std::uint64_t address, std::size_t length);

}  // namespace srvprof
