// The text form in which JIT runtimes list their code: "start size name", numbers in hex.
#pragma once

#include <cstdint>
#include <string_view>

#include "elf/symbols.h"

namespace srvprof {

// Runtimes append and never delete: where entries overlap, the later one holds. Malformed lines are
// left out. At most 2 million entries and 256 MiB of names are kept, the last ones.
SymbolTable parse_perf_map(std::string_view text);

// Puts entries that were appended in the order of their making in order of addresses, as parse_perf_map()
// gives them.
void settle_jit_table(SymbolTable& table);

// The latest entry that holds `address`, or null.
const Symbol* find_jit_symbol(const SymbolTable& table, std::uint64_t address);

}  // namespace srvprof
