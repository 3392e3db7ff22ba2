#include "elf/symbol_search.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "elf/symbols.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxFound = 4096;  // a runtime has a handful of each

void search(std::string_view table, std::string_view strings,
            std::span<const std::string_view> prefixes, std::vector<FoundFunction>& found) {
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym sym;
    std::memcpy(&sym, table.data() + at, sizeof sym);
    if (ELF64_ST_TYPE(sym.st_info) != STT_FUNC || sym.st_shndx == SHN_UNDEF ||
        sym.st_name >= strings.size()) {
      continue;
    }
    const std::string_view rest = strings.substr(sym.st_name);
    for (std::size_t i = 0; i < prefixes.size(); ++i) {
      if (!rest.starts_with(prefixes[i])) continue;
      std::string_view name = rest.substr(0, kMaxSymbolName);
      name = name.substr(0, std::min(name.find('\0'), name.find('@', 1)));
      const bool seen = std::any_of(found.begin(), found.end(), [&](const FoundFunction& f) {
        return f.prefix == i && f.vaddr == sym.st_value;
      });
      if (found.size() >= kMaxFound) return;
      if (!seen && name.find('.') == std::string_view::npos) {
        found.push_back({i, std::string(name), sym.st_value});
      }
    }
  }
}

}  // namespace

Result<std::vector<FoundFunction>> find_functions(const ElfFile& elf,
                                                  std::span<const std::string_view> prefixes) {
  std::vector<FoundFunction> found;
  if (!elf.is64) return found;
  constexpr SymbolLimits kLimits;
  for (const ElfSection& s : elf.sections) {
    if ((s.type != SHT_SYMTAB && s.type != SHT_DYNSYM) || s.link >= elf.sections.size()) continue;
    const ElfSection& names = elf.sections[s.link];
    if (names.type != SHT_STRTAB) continue;
    const std::string table = TRY(read_section(elf, s, kLimits.symbol_bytes));
    const std::string strings = TRY(read_section(elf, names, kLimits.string_bytes));
    search(table, strings, prefixes, found);
  }
  return found;
}

}  // namespace srvprof
