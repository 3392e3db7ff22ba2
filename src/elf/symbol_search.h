// A few functions by the beginning of their names, without building the table of all of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

struct FoundFunction {
  std::size_t prefix = 0;  // index of the prefix that it begins with
  std::string name;        // mangled
  std::uint64_t vaddr = 0;
};

// The functions of .symtab and .dynsym whose names begin with one of `prefixes`, one an address; parts
// that the compiler split off (".cold", ".part.0") are left out. Error: malformed, above the limits.
Result<std::vector<FoundFunction>> find_functions(const ElfFile& elf,
                                                  std::span<const std::string_view> prefixes);

}  // namespace srvprof
