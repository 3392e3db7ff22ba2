#include "symbolize/kallsyms.h"

#include <gtest/gtest.h>

namespace srvprof {
namespace {

std::string name_at(const SymbolTable& table, std::uint64_t address) {
  const Symbol* symbol = find_symbol(table, address);
  return symbol != nullptr ? std::string(symbol_name(table, *symbol)) : "";
}

TEST(Kallsyms, FunctionsAndModules) {
  const auto table = parse_kallsyms(
      "0000000000000000 A fixed_percpu_data\n"
      "ffffffff81000000 T _stext\n"
      "ffffffff81000000 T startup_64\n"
      "ffffffff81000100 t do_sys_poll\n"
      "ffffffff81000180 D some_data\n"
      "ffffffff81000200 W weak_one\n"
      "ffffffffc0000000 t nf_hook\t[nf_tables]\n");
  ASSERT_TRUE(table.ok()) << table.error().what;
  EXPECT_EQ(name_at(*table, 0xffffffff81000010), "startup_64");
  EXPECT_EQ(name_at(*table, 0xffffffff810001ff), "do_sys_poll");
  EXPECT_EQ(name_at(*table, 0xffffffff81000201), "weak_one");
  EXPECT_EQ(name_at(*table, 0xffffffffc0000001), "nf_hook\t[nf_tables]");
  EXPECT_EQ(name_at(*table, 0xffffffff80ffffff), "");
}

TEST(Kallsyms, HiddenAddressesAreAPermission) {
  const auto table = parse_kallsyms("0000000000000000 T _stext\n0000000000000000 t f\n");
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().kind, ErrorKind::kPermission);
  EXPECT_NE(table.error().what.find("hides"), std::string::npos);
  EXPECT_FALSE(table.error().hint.empty());
}

TEST(Kallsyms, HostileText) {
  EXPECT_FALSE(parse_kallsyms("").ok());
  EXPECT_FALSE(parse_kallsyms("x\n\n1 T\nzz T name\n1\n").ok());
  const auto table = parse_kallsyms("10 T a\n\n\nffffffffffffffff T b\n11111111111111111 T c\n");
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(name_at(*table, 0x10), "a");
}

}  // namespace
}  // namespace srvprof
