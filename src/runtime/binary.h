// Reading what a process is made of.
#pragma once

#include "runtime/runtime.h"

namespace srvprof {

// Error if the executable cannot be read.
Result<Binary> read_binary(const ProcFs& fs, const ProcessInfo& process,
                           const std::vector<MemoryMapping>& maps);

}  // namespace srvprof
