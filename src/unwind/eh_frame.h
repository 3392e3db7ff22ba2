// .eh_frame of x86-64: what compilers say about each function's frame, turned into rows.
// Format: Linux Standard Base, "Exception Frames", and DWARF 5, 6.4. The section may be hostile: every read is
// checked, entries that do not make sense are left out, and the limits bound time and memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"
#include "unwind/rows.h"

namespace srvprof {

struct EhFrameLimits {
  std::uint64_t section_bytes = std::uint64_t{256} << 20;
  std::size_t functions = std::size_t{2} << 20;
  std::size_t rows = std::size_t{8} << 20;
  std::size_t states = 64;  // that a function's instructions may remember
  std::uint64_t program_bytes = std::uint64_t{256} << 20;  // executed in all: functions share those of their CIE
};

// A row before the table is made. end: the function before `vaddr` ends here.
struct EhRow {
  std::uint64_t vaddr = 0;
  std::int16_t cfa = 0;
  std::int16_t rbp = 0;
  bool end = false;
};

struct EhFrame {
  std::vector<EhRow> rows;  // in the order of the section
  std::uint32_t functions = 0, frame_pointers = 0, unsupported = 0;
  std::uint32_t malformed = 0;  // entries that were left out
};

// `vaddr`: of the section's first byte. Error: above a limit.
Result<EhFrame> parse_eh_frame(std::span<const std::uint8_t> section, std::uint64_t vaddr,
                               const EhFrameLimits& limits = {});

// Sorted, with index; `base` and `span` say which addresses are code. Rows outside are dropped.
ModuleRows make_module_rows(EhFrame frame, std::uint64_t base, std::uint32_t span);

// The rows of a module, those of Go functions too; none where it has neither .eh_frame nor .gopclntab (or is not
// x86-64). Error: it has, but they cannot be used.
Result<ModuleRows> read_module_rows(const ElfFile& elf, const EhFrameLimits& limits = {});

// The row in effect at `distance` from the base; null where none is.
const UnwindRow* find_row(const ModuleRows& rows, std::uint64_t distance);

}  // namespace srvprof
