// Finding functions of a stripped program by the strings that they print (x86-64).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/elf_file.h"

namespace srvprof {

// Address of the only NUL-terminated occurrence of `text` in the read-only data.
std::optional<std::uint64_t> find_text(const ElfFile& elf, std::string_view text);

// Where a reference was found: the instruction's address and the start of the function that holds it.
struct CodeReference {
  std::uint64_t vaddr = 0, function = 0;
};

// For each address of `targets` the references from code: `mov $imm32, %reg` and `lea disp(%rip), %reg`, or
// with `calls` the calls and jumps to it. The start of a function is the last 16-aligned `push %rbp;
// mov %rsp,%rbp` before it that follows padding or the end of other code; references without one are left
// out. One pass over the code, in pieces of a few MiB.
std::vector<std::vector<CodeReference>> find_references(const ElfFile& elf,
                                                        const std::vector<std::uint64_t>& targets,
                                                        bool calls);

}  // namespace srvprof
