#include "unwind/hints.h"

#include <elf.h>

#include <cstring>
#include <string>
#include <string_view>

namespace srvprof {
namespace {

constexpr std::string_view kShared = "v8dbg_class_JSFunction__shared__";
constexpr std::uint64_t kMaxSymbolBytes = std::uint64_t{64} << 20;
constexpr std::uint64_t kMaxNameBytes = std::uint64_t{128} << 20;
constexpr std::uint32_t kMaxOffset = 256;  // of a field; JSFunction has about ten

// The address of the exported object whose name begins with `prefix`.
std::optional<std::uint64_t> find_object(const ElfFile& elf, std::string_view prefix) {
  const ElfSection* table = find_section(elf, ".dynsym");
  if (table == nullptr || !elf.is64 || table->link >= elf.sections.size()) return std::nullopt;
  const auto names = read_section(elf, elf.sections[table->link], kMaxNameBytes);
  if (!names.ok() || names->find(prefix) == std::string::npos) return std::nullopt;
  const auto symbols = read_section(elf, *table, kMaxSymbolBytes);
  if (!symbols.ok()) return std::nullopt;
  for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= symbols->size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols->data() + at, sizeof symbol);
    if (symbol.st_name >= names->size() || symbol.st_shndx == SHN_UNDEF) continue;
    if (names->compare(symbol.st_name, prefix.size(), prefix) == 0) return symbol.st_value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> v8_shared_offset(const ElfFile& elf) {
  const auto vaddr = find_object(elf, kShared);
  if (!vaddr) return std::nullopt;
  const auto offset = vaddr_to_offset(elf, *vaddr);
  if (!offset) return std::nullopt;
  const auto bytes = read_bytes(elf, *offset, 4, 4);
  if (!bytes.ok()) return std::nullopt;
  std::uint32_t value = 0;
  std::memcpy(&value, bytes->data(), 4);
  if (value == 0 || value > kMaxOffset || value % 8 != 0) return std::nullopt;
  return value;
}

}  // namespace srvprof
