// The functions of an ELF file, as a compact sorted table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

struct Symbol {
  std::uint64_t vaddr = 0;
  std::uint32_t size = 0;  // bytes, never 0: a symbol without a size reaches to the next one
  std::uint32_t name = 0;  // offset in SymbolTable::names
};

// One symbol an address: of several names the exported one with the fewest leading underscores.
struct SymbolTable {
  std::vector<Symbol> symbols;  // ascending by vaddr
  std::string names;            // NUL-terminated, as in the file (mangled), without @version
};

// A symbol before the table is made. `end` 0 = size not known; `rank` smaller = better name.
struct RawSymbol {
  std::uint64_t vaddr = 0;
  std::uint64_t end = 0;
  std::string_view name;
  std::uint8_t rank = 0;
};

struct SymbolLimits {
  std::uint64_t symbol_bytes = std::uint64_t{256} << 20;  // of one symbol section
  std::uint64_t string_bytes = std::uint64_t{512} << 20;  // of one string section
  std::uint64_t name_bytes = std::uint64_t{256} << 20;    // of SymbolTable::names
};

// Longer names are cut.
inline constexpr std::size_t kMaxSymbolName = 4096;

// The functions of .symtab and .dynsym. An empty table if the file is stripped of both; an Error if
// they are malformed or above the limits.
Result<SymbolTable> read_symbols(const ElfFile& elf, const SymbolLimits& limits = {});

// Sorts, drops double addresses, gives sizes where they are missing (at most up to `end_of_code`).
// Error if the names need more than `name_bytes`.
Result<SymbolTable> make_symbol_table(std::vector<RawSymbol> raw, std::uint64_t end_of_code,
                                      std::uint64_t name_bytes);

// The symbol whose bytes hold `vaddr`, or null.
const Symbol* find_symbol(const SymbolTable& table, std::uint64_t vaddr);

std::string_view symbol_name(const SymbolTable& table, const Symbol& symbol);

// What the table takes in memory.
std::size_t memory_bytes(const SymbolTable& table);

}  // namespace srvprof
