#include "elf/constants.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

namespace srvprof {
namespace {

constexpr std::uint64_t kMaxTable = std::uint64_t{128} << 20;
constexpr std::size_t kMaxConstants = 4096;
constexpr std::size_t kMaxName = 512;

// Reads 4 bytes at `vaddr`; 0 where the file has none (a zero that lies in .bss).
std::int32_t value_at(const ElfFile& elf, std::uint64_t vaddr) {
  std::int32_t value = 0;
  const auto offset = vaddr_to_offset(elf, vaddr);
  if (!offset) return value;
  if (const auto bytes = read_bytes(elf, *offset, sizeof value, sizeof value)) {
    std::memcpy(&value, bytes->data(), sizeof value);
  }
  return value;
}

// Calls see(name, symbol) for each named symbol of .dynsym; false if `wanted` occurs in no name.
template <class See>
Result<bool> for_exports(const ElfFile& elf, std::string_view wanted, const See& see) {
  const auto section = std::find_if(elf.sections.begin(), elf.sections.end(),
                                    [](const ElfSection& s) { return s.type == SHT_DYNSYM; });
  if (!elf.is64 || section == elf.sections.end() || section->link >= elf.sections.size()) return false;
  const std::string strings = TRY(read_section(elf, elf.sections[section->link], kMaxTable));
  if (strings.find(wanted) == std::string::npos) return false;
  const std::string table = TRY(read_section(elf, *section, kMaxTable));
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym sym;
    std::memcpy(&sym, table.data() + at, sizeof sym);
    if (sym.st_name >= strings.size()) continue;
    const std::string_view name = std::string_view(strings).substr(sym.st_name, kMaxName);
    see(name.substr(0, name.find('\0')), sym);
  }
  return true;
}

}  // namespace

Result<std::map<std::string, std::int32_t>> read_constants(const ElfFile& elf,
                                                           std::string_view prefix) {
  std::map<std::string, std::int32_t> constants;
  TRY(for_exports(elf, prefix, [&](std::string_view name, const Elf64_Sym& sym) {
    const bool object = ELF64_ST_TYPE(sym.st_info) == STT_OBJECT;
    if (!object || !name.starts_with(prefix) || constants.size() >= kMaxConstants) return;
    constants.emplace(name.substr(prefix.size()), value_at(elf, sym.st_value));
  }));
  return constants;
}

std::optional<ExportedSymbol> find_export(const ElfFile& elf, std::string_view name) {
  std::optional<ExportedSymbol> found;
  const auto done = for_exports(elf, name, [&](std::string_view other, const Elf64_Sym& sym) {
    if (other == name && sym.st_shndx != SHN_UNDEF) found = {sym.st_value, sym.st_size};
  });
  return done.ok() ? found : std::nullopt;
}

}  // namespace srvprof
