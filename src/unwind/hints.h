// What a stack walker must know of a runtime to tell which function a frame of its code belongs to.
#pragma once

#include <cstdint>
#include <optional>

#include "elf/elf_file.h"

namespace srvprof {

// V8: distance from a JSFunction object to its field with the SharedFunctionInfo, from the constant
// v8dbg_class_JSFunction__shared__* that every official Node exports for debuggers (stripped or not).
// Nothing for a binary without it.
std::optional<std::uint32_t> v8_shared_offset(const ElfFile& elf);

}  // namespace srvprof
