// The binary form in which JIT runtimes list their code: jit-PID.dump.
// Format: tools/perf/Documentation/jitdump-specification.txt in the kernel's sources.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "elf/symbols.h"

namespace srvprof {

// From `address` on, code of this line.
struct JitLine {
  std::uint64_t address = 0;
  std::uint32_t line = 0;
  std::uint32_t file = 0;  // offset in JitDump::files
};

struct JitDump {
  SymbolTable table;           // as of a perf map: find_jit_symbol()
  std::vector<JitLine> lines;  // ascending
  std::string files;           // NUL-terminated
};

// Code that was moved is found where it is now. What is malformed ends the reading; what stands before it is
// kept. Empty for a file that is none, of another byte order, or of another process than `pid` (0 = any). At
// most 2 million entries, 4 million lines and 256 MiB of names are kept.
JitDump parse_jit_dump(std::string_view bytes, std::uint32_t pid);

// The line of an address inside [begin, end); null if the dump does not tell.
const JitLine* find_jit_line(const JitDump& dump, std::uint64_t begin, std::uint64_t end, std::uint64_t address);

}  // namespace srvprof
