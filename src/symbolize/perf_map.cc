#include "symbolize/perf_map.h"

#include <algorithm>
#include <limits>

#include "base/parse.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxEntries = 2'000'000;
constexpr std::size_t kMaxNames = std::size_t{256} << 20;
constexpr int kMaxOverlap = 16;  // how many starts find_jit_symbol looks back

// The text cut from the front to kMaxNames, at a line.
std::string_view last_part(std::string_view text) {
  if (text.size() <= kMaxNames) return text;
  text.remove_prefix(text.size() - kMaxNames);
  text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text;
}

}  // namespace

SymbolTable parse_perf_map(std::string_view text) {
  SymbolTable table;
  text = last_part(text);
  std::string_view line;
  while (next_line(text, line)) {
    const auto hex = [](std::string_view field) {
      if (field.starts_with("0x") || field.starts_with("0X")) field.remove_prefix(2);
      return parse_number<std::uint64_t>(field, 16);
    };
    const auto start = hex(next_field(line)), size = hex(next_field(line));
    const std::string_view name = trim(line).substr(0, kMaxSymbolName);
    if (!start || !size || *size == 0 || *size > std::numeric_limits<std::uint32_t>::max() ||
        name.empty()) {
      continue;
    }
    table.symbols.push_back({*start, static_cast<std::uint32_t>(*size),
                             static_cast<std::uint32_t>(table.names.size())});
    table.names.append(name.substr(0, name.find('\0'))).push_back('\0');
  }
  settle_jit_table(table);
  return table;
}

void settle_jit_table(SymbolTable& table) {
  auto& symbols = table.symbols;
  if (symbols.size() > kMaxEntries) {
    symbols.erase(symbols.begin(), symbols.end() - static_cast<std::ptrdiff_t>(kMaxEntries));
  }
  // A later entry has its name further back in `names`: first of equal starts is the latest.
  std::sort(symbols.begin(), symbols.end(), [](const Symbol& a, const Symbol& b) {
    return a.vaddr != b.vaddr ? a.vaddr < b.vaddr : a.name > b.name;
  });
  symbols.erase(std::unique(symbols.begin(), symbols.end(),
                            [](const Symbol& a, const Symbol& b) { return a.vaddr == b.vaddr; }),
                symbols.end());
}

const Symbol* find_jit_symbol(const SymbolTable& table, std::uint64_t address) {
  auto it = std::upper_bound(table.symbols.begin(), table.symbols.end(), address,
                             [](std::uint64_t a, const Symbol& s) { return a < s.vaddr; });
  const Symbol* latest = nullptr;
  for (int back = 0; back < kMaxOverlap && it != table.symbols.begin(); ++back) {
    --it;
    const bool holds = address - it->vaddr < it->size;
    if (holds && (latest == nullptr || it->name > latest->name)) latest = &*it;
  }
  return latest;
}

}  // namespace srvprof
