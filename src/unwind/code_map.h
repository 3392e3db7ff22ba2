// The executable memory of one process, as the stack walker sees it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "elf/elf_file.h"
#include "target/maps.h"
#include "unwind/rows.h"

namespace srvprof {

// Addresses [start, end). rows null: walked by frame pointer. managed: its frames may be of functions that
// a runtime made or interprets, so their hints are worth reading.
struct CodeRange {
  std::uint64_t start = 0, end = 0;
  std::uint64_t bias = 0;  // address - bias = distance from the rows' base
  const ModuleRows* rows = nullptr;
  bool managed = false;
};

// What is behind an executable mapping of a file (or the vdso). Null members: nothing is known.
struct MappedCode {
  const ElfFile* elf = nullptr;
  const ModuleRows* rows = nullptr;
  bool managed = false;  // code of the module that has no rows may be a runtime's (V8's builtins, LLInt)
};

// Ascending, without overlaps. Anonymous mappings that touch each other and of which one is executable
// are one range: a runtime's code region, whose parts become executable as it grows.
std::vector<CodeRange> map_code(std::span<const MemoryMapping> maps,
                                const std::function<MappedCode(const MemoryMapping&)>& code_of);

}  // namespace srvprof
