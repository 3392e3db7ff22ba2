#include "elf/symbols.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

namespace srvprof {
namespace {

struct Listed {
  std::uint64_t size = 0;
  std::set<std::string> names;
};

// The defined functions as readelf lists them, by address.
std::map<std::uint64_t, Listed> readelf_functions(const std::string& path) {
  std::map<std::uint64_t, Listed> functions;
  FILE* pipe = ::popen((READELF " -sW 2>/dev/null " + path).c_str(), "r");
  if (pipe == nullptr) return functions;
  std::array<char, 4096> line;
  while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
    std::istringstream in(line.data());
    std::string number, value, size, type, bind, visibility, index, name;
    in >> number >> value >> size >> type >> bind >> visibility >> index >> name;
    if ((type != "FUNC" && type != "IFUNC") || index == "UND") continue;
    Listed& listed = functions[std::stoull(value, nullptr, 16)];
    listed.size = std::max<std::uint64_t>(listed.size, std::stoull(size, nullptr, 0));
    listed.names.insert(name.substr(0, name.find('@')));
  }
  ::pclose(pipe);
  return functions;
}

std::string own_path() { return std::filesystem::read_symlink("/proc/self/exe"); }

SymbolTable symbols_of(const std::string& path) {
  const auto elf = open_elf(path);
  EXPECT_TRUE(elf.ok()) << path;
  if (!elf.ok()) return {};
  auto table = read_symbols(*elf);
  EXPECT_TRUE(table.ok()) << table.error().what;
  return table.ok() ? std::move(*table) : SymbolTable{};
}

std::string name_at(const SymbolTable& table, std::uint64_t vaddr) {
  const Symbol* symbol = find_symbol(table, vaddr);
  return symbol != nullptr ? std::string(symbol_name(table, *symbol)) : "";
}

std::uint64_t address_of(const SymbolTable& table, std::string_view name) {
  for (const auto& symbol : table.symbols) {
    if (symbol_name(table, symbol) == name) return symbol.vaddr;
  }
  return 0;
}

TEST(Symbols, EveryFunctionOfReadelf) {
  for (const std::string& path : {std::string(ELF_SAMPLE), std::string(ELF_DEBUG), own_path()}) {
    const SymbolTable table = symbols_of(path);
    const auto expected = readelf_functions(path);
    ASSERT_GT(expected.size(), 5u) << path;
    for (const auto& [vaddr, listed] : expected) {
      const std::string name = name_at(table, vaddr);
      EXPECT_TRUE(listed.names.contains(name)) << path << " " << std::hex << vaddr << " " << name;
      if (listed.size == 0) continue;
      EXPECT_NE(name_at(table, vaddr + listed.size - 1), "") << *listed.names.begin();
    }
    EXPECT_GT(memory_bytes(table), table.symbols.size() * sizeof(Symbol));
  }
}

TEST(Symbols, StrippedKeepsTheExportedOnes) {
  const SymbolTable table = symbols_of(ELF_STRIPPED);
  EXPECT_NE(address_of(table, "sample_global"), 0u);
  EXPECT_EQ(address_of(table, "sample_local"), 0u);
  EXPECT_EQ(address_of(symbols_of(ELF_SAMPLE), "sample_global"),
            address_of(table, "sample_global"));
}

TEST(Symbols, KindsOfFunctions) {
  const SymbolTable table = symbols_of(ELF_SAMPLE);
  EXPECT_NE(address_of(table, "sample_local"), 0u);
  EXPECT_NE(address_of(table, "sample_weak"), 0u) << "fewer underscores than its alias";
  EXPECT_EQ(address_of(table, "__sample_alias"), 0u);
  EXPECT_EQ(address_of(table, "sample_label"), 0u);
  EXPECT_EQ(address_of(table, "sample_data"), 0u);
  const auto unsized_function = address_of(table, "sample_unsized");
  ASSERT_NE(unsized_function, 0u);
  EXPECT_EQ(name_at(table, unsized_function + 3), "sample_unsized");
  const auto outer = address_of(table, "sample_outer");
  ASSERT_NE(outer, 0u);
  EXPECT_EQ(name_at(table, outer + 1), "sample_outer");
  EXPECT_EQ(name_at(table, outer + 2), "sample_inner");
  EXPECT_EQ(name_at(table, outer + 3), "sample_outer") << "behind the inner one";
  EXPECT_EQ(name_at(table, 0), "");
}

TEST(SymbolTable, OrderSizesAndAliases) {
  const auto table = make_symbol_table({{30, 0, "last", 0},
                                        {10, 0, "unsized", 0},
                                        {20, 25, "__b", 0},
                                        {20, 25, "b", 0},
                                        {20, 25, "a_local", 1}},
                                       40, 1000);
  ASSERT_TRUE(table.ok());
  ASSERT_EQ(table->symbols.size(), 3u);
  EXPECT_EQ(name_at(*table, 9), "");
  EXPECT_EQ(name_at(*table, 19), "unsized");
  EXPECT_EQ(name_at(*table, 20), "b");
  EXPECT_EQ(name_at(*table, 25), "");
  EXPECT_EQ(name_at(*table, 39), "last");
  EXPECT_EQ(name_at(*table, 40), "");
}

TEST(SymbolTable, NamesAreBounded) {
  const std::string name(100, 'x');
  std::vector<RawSymbol> raw;
  for (std::uint64_t i = 0; i < 100; ++i) raw.push_back({i * 16, 0, name, 0});
  EXPECT_FALSE(make_symbol_table(raw, 2000, 100 * 101 - 1).ok());
  EXPECT_TRUE(make_symbol_table(raw, 2000, 100 * 101).ok());
  EXPECT_TRUE(make_symbol_table({}, 0, 0).ok());
}

}  // namespace
}  // namespace srvprof
