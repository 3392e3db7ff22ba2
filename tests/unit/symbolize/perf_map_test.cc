#include "symbolize/perf_map.h"

#include <gtest/gtest.h>

namespace srvprof {
namespace {

std::string name_at(const SymbolTable& table, std::uint64_t address) {
  const Symbol* symbol = find_jit_symbol(table, address);
  return symbol != nullptr ? std::string(symbol_name(table, *symbol)) : "";
}

TEST(PerfMap, NamesWithBlanksAndPrefixes) {
  const auto table = parse_perf_map(
      "7f0000001000 40 LazyCompile:*handle /app/a.js:3\n"
      "0x7f0000002000 0x10 int Srv.leaf(java.lang.String)\n"
      "7f0000003000 8 last line without end");
  EXPECT_EQ(name_at(table, 0x7f0000001000), "LazyCompile:*handle /app/a.js:3");
  EXPECT_EQ(name_at(table, 0x7f000000103f), "LazyCompile:*handle /app/a.js:3");
  EXPECT_EQ(name_at(table, 0x7f0000001040), "");
  EXPECT_EQ(name_at(table, 0x7f000000200f), "int Srv.leaf(java.lang.String)");
  EXPECT_EQ(name_at(table, 0x7f0000003007), "last line without end");
}

TEST(PerfMap, TheLastEntryWins) {
  const auto table = parse_perf_map(
      "1000 100 old\n"
      "1000 80 new\n"
      "2000 100 first\n"
      "1f80 100 later and overlapping\n"
      "3000 100 outer\n"
      "3010 10 inner\n");
  EXPECT_EQ(name_at(table, 0x1010), "new");
  EXPECT_EQ(name_at(table, 0x1090), "") << "what the new entry no longer covers is not known";
  EXPECT_EQ(name_at(table, 0x2010), "later and overlapping");
  EXPECT_EQ(name_at(table, 0x2090), "first");
  EXPECT_EQ(name_at(table, 0x3018), "inner");
  EXPECT_EQ(name_at(table, 0x3020), "outer");
}

TEST(PerfMap, HostileText) {
  for (const char* text :
       {"", "\n\n", "1000", "1000 10", "1000 10 ", "zz 10 f", "1000 zz f", "1000 0 f",
        "1000 100000000 f", "-1 10 f", "0x 1 f", "11111111111111111 1 f"}) {
    EXPECT_TRUE(parse_perf_map(text).symbols.empty()) << text;
  }
  const auto table = parse_perf_map("ffffffffffffffff 10 top\n1000 10 " + std::string(9000, 'x'));
  EXPECT_EQ(name_at(table, ~std::uint64_t{0}), "top");
  EXPECT_EQ(name_at(table, 0x1000).size(), kMaxSymbolName);
  const std::string nul("1000 10 a\0b\n2000 10 c\n", 22);
  EXPECT_EQ(name_at(parse_perf_map(nul), 0x1000), "a");
  EXPECT_EQ(name_at(parse_perf_map(nul), 0x2000), "c");
}

}  // namespace
}  // namespace srvprof
