// Stacks as names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model.h"

namespace srvprof {

// Frames of a stack, outermost first, inlined functions included: "func", kernel ones "func_[k]",
// unresolved ones "module+0xoff". Empty if the stack was not recorded (hash 0 = none).
std::vector<std::string> frame_names(const Trace& trace, std::uint64_t hash);

// Where a thread was: the innermost user function that has a name, else the innermost kernel
// function that is not the scheduler itself, else module and offset. May be empty.
std::string innermost_name(const Trace& trace, std::uint64_t kstack, std::uint64_t ustack);

// The innermost named frames, "a <- b <- c", at most `depth`, without the scheduler's own.
std::string innermost_names(const Trace& trace, std::uint64_t hash, std::size_t depth);

}  // namespace srvprof
