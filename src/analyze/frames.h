// Stacks as names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "trace/model.h"

namespace srvprof {

// What is known of frame `i` of a stack, innermost function first; null where nothing is.
const std::vector<rows::Frame>* frames_at(const Trace& trace, const rows::Stack& stack,
                                          std::size_t i);

// A function of a script (JavaScript, Python): its file and line are those where it begins.
bool is_script(const rows::Frame& frame);

// Frames of a stack, outermost first, inlined functions included: "func", those of scripts with
// their place ("func file.js:14"), kernel ones "func_[k]", unresolved ones "module+0xoff". Empty if the stack was not recorded (hash 0 = none).
std::vector<std::string> frame_names(const Trace& trace, std::uint64_t hash);

// Where a thread was: the innermost function of a script, else user function that has a name, else the innermost kernel
// function that is not the scheduler itself, else module and offset. May be empty.
std::string innermost_name(const Trace& trace, std::uint64_t kstack, std::uint64_t ustack);

// The innermost named frames, "a <- b <- c", at most `depth`, without the scheduler's own. If no
// script's function is among them, the innermost of these is the last one.
std::string innermost_names(const Trace& trace, std::uint64_t hash, std::size_t depth);

}  // namespace srvprof
