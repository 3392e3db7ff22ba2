#include "elf/symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <limits>

namespace srvprof {
namespace {

// How far find_symbol looks back for an outer symbol that holds the address.
constexpr int kMaxNesting = 16;

std::uint8_t name_rank(unsigned char info) { return ELF64_ST_BIND(info) == STB_LOCAL ? 1 : 0; }

bool is_function(unsigned char info, std::uint64_t size) {
  const auto type = ELF64_ST_TYPE(info);
  // Hand-written assembly often forgets the type, but then a size shows that a function is meant.
  return type == STT_FUNC || type == STT_GNU_IFUNC || (type == STT_NOTYPE && size != 0);
}

const ElfSegment* find_code(const ElfFile& elf, std::uint64_t vaddr) {
  for (const auto& s : elf.segments) {
    if (s.exec && vaddr >= s.vaddr && vaddr - s.vaddr < s.memory_size) return &s;
  }
  return nullptr;
}

template <class Sym>
void collect(const ElfFile& elf, std::string_view table, std::string_view strings,
             std::vector<RawSymbol>& raw) {
  for (std::size_t at = 0; at + sizeof(Sym) <= table.size(); at += sizeof(Sym)) {
    Sym sym;
    std::memcpy(&sym, table.data() + at, sizeof sym);
    if (sym.st_shndx == SHN_UNDEF || sym.st_name >= strings.size() ||
        !is_function(sym.st_info, sym.st_size)) {
      continue;
    }
    const ElfSegment* code = find_code(elf, sym.st_value);
    if (code == nullptr) continue;
    std::string_view name = strings.substr(sym.st_name, kMaxSymbolName);
    // Linkers write versions into .symtab: "fmod@GLIBC_2.38".
    name = name.substr(0, std::min(name.find('\0'), name.find('@', 1)));
    if (name.empty()) continue;
    const std::uint64_t code_end = code->vaddr + code->memory_size;
    const std::uint64_t room = code_end - sym.st_value;
    const std::uint64_t size = std::min<std::uint64_t>(sym.st_size, room);
    raw.push_back(
        {sym.st_value, size == 0 ? 0 : sym.st_value + size, name, name_rank(sym.st_info)});
  }
}

std::size_t underscores(std::string_view name) {
  return std::min(name.find_first_not_of('_'), name.size());
}

bool before(const RawSymbol& a, const RawSymbol& b) {
  if (a.vaddr != b.vaddr) return a.vaddr < b.vaddr;
  if ((a.end == 0) != (b.end == 0)) return a.end != 0;
  if (a.rank != b.rank) return a.rank < b.rank;
  if (underscores(a.name) != underscores(b.name)) return underscores(a.name) < underscores(b.name);
  if (a.name.size() != b.name.size()) return a.name.size() < b.name.size();
  return a.name < b.name;
}

std::uint64_t end_of_code(const ElfFile& elf) {
  std::uint64_t end = 0;
  for (const auto& s : elf.segments) {
    if (s.exec) end = std::max(end, s.vaddr + s.memory_size);
  }
  return end;
}

}  // namespace

Result<SymbolTable> read_symbols(const ElfFile& elf, const SymbolLimits& limits) {
  std::vector<RawSymbol> raw;
  std::vector<std::string> string_sections;
  string_sections.reserve(2);  // the names of `raw` point into them
  for (const unsigned type : {unsigned{SHT_SYMTAB}, unsigned{SHT_DYNSYM}}) {
    const auto section = std::find_if(elf.sections.begin(), elf.sections.end(),
                                      [&](const ElfSection& s) { return s.type == type; });
    if (section == elf.sections.end() || section->link >= elf.sections.size()) continue;
    const ElfSection& names = elf.sections[section->link];
    if (names.type != SHT_STRTAB) continue;
    const std::string table = TRY(read_section(elf, *section, limits.symbol_bytes));
    string_sections.push_back(TRY(read_section(elf, names, limits.string_bytes)));
    if (elf.is64) {
      collect<Elf64_Sym>(elf, table, string_sections.back(), raw);
    } else {
      collect<Elf32_Sym>(elf, table, string_sections.back(), raw);
    }
  }
  return make_symbol_table(std::move(raw), end_of_code(elf), limits.name_bytes);
}

Result<SymbolTable> make_symbol_table(std::vector<RawSymbol> raw, std::uint64_t end_of_code,
                                      std::uint64_t name_bytes) {
  std::sort(raw.begin(), raw.end(), before);
  raw.erase(std::unique(raw.begin(), raw.end(),
                        [](const auto& a, const auto& b) { return a.vaddr == b.vaddr; }),
            raw.end());
  std::uint64_t total = 0;
  for (const auto& r : raw) total += r.name.size() + 1;
  if (total > std::min<std::uint64_t>(name_bytes, std::numeric_limits<std::uint32_t>::max())) {
    return Error{"reading symbols: names of " + std::to_string(total) + " bytes are too many", "",
                 ErrorKind::kFailed};
  }
  SymbolTable table;
  table.symbols.reserve(raw.size());
  table.names.reserve(total);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    std::uint64_t end = raw[i].end;
    if (end == 0) end = i + 1 < raw.size() ? raw[i + 1].vaddr : end_of_code;
    if (end <= raw[i].vaddr) continue;
    const std::uint64_t size =
        std::min<std::uint64_t>(end - raw[i].vaddr, std::numeric_limits<std::uint32_t>::max());
    table.symbols.push_back({raw[i].vaddr, static_cast<std::uint32_t>(size),
                             static_cast<std::uint32_t>(table.names.size())});
    table.names.append(raw[i].name).push_back('\0');
  }
  return table;
}

const Symbol* find_symbol(const SymbolTable& table, std::uint64_t vaddr) {
  auto it = std::upper_bound(table.symbols.begin(), table.symbols.end(), vaddr,
                             [](std::uint64_t v, const Symbol& s) { return v < s.vaddr; });
  // The nearest symbol below may be a small one inside a larger one.
  for (int back = 0; back < kMaxNesting && it != table.symbols.begin(); ++back) {
    --it;
    if (vaddr - it->vaddr < it->size) return &*it;
  }
  return nullptr;
}

std::string_view symbol_name(const SymbolTable& table, const Symbol& symbol) {
  return table.names.data() + symbol.name;
}

std::size_t memory_bytes(const SymbolTable& table) {
  return table.symbols.capacity() * sizeof(Symbol) + table.names.capacity();
}

}  // namespace srvprof
