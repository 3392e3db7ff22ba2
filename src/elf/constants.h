// Numbers that a program exports for debuggers: 32-bit objects with a name, as V8's v8dbg_*.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

// The values in the file of all data symbols of .dynsym whose name begins with `prefix`, by the
// rest of their name. At most 4096 of them; empty if there is none. Error if the tables are
// malformed.
Result<std::map<std::string, std::int32_t>> read_constants(const ElfFile& elf,
                                                           std::string_view prefix);

// Where an exported function or object of just this name lies, by .dynsym.
struct ExportedSymbol {
  std::uint64_t vaddr = 0, size = 0;
};
std::optional<ExportedSymbol> find_export(const ElfFile& elf, std::string_view name);

}  // namespace srvprof
