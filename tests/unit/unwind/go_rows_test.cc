#include "unwind/go_rows.h"

#include <gtest/gtest.h>

#include "elf/gopclntab.h"

namespace srvprof {
namespace {

TEST(GoRows, NoneInABinaryOfAnotherLanguage) {
  const auto elf = open_elf("/proc/self/exe");
  ASSERT_TRUE(elf.ok());
  EXPECT_TRUE(go_rows(*elf, 1000).empty());
}

#ifdef GO_SAMPLE
// Every row against the question that the table answers address by address.
TEST(GoRows, SayWhereTheStackHasNotGrown) {
  const auto elf = open_elf(GO_SAMPLE);
  if (!elf.ok()) GTEST_SKIP() << "no Go compiler";
  const auto table = read_go_table(*elf);
  ASSERT_TRUE(table.ok());
  const std::vector<EhRow> rows = go_rows(*elf, 1u << 22);
  ASSERT_GT(rows.size(), 1000u);
  std::size_t leaves = 0;
  for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
    ASSERT_LT(rows[i].vaddr, rows[i + 1].vaddr);
    for (const std::uint64_t pc : {rows[i].vaddr, (rows[i].vaddr + rows[i + 1].vaddr) / 2, rows[i + 1].vaddr - 1}) {
      const auto function = find_go_function(*table, pc);
      if (!function) continue;
      const auto growth = go_stack_growth(*table, *function, pc);
      ASSERT_EQ(rows[i].cfa == kRowLeaf, growth.has_value() && *growth == 0) << std::hex << pc;
      leaves += rows[i].cfa == kRowLeaf;
    }
  }
  EXPECT_GT(leaves, 1000u);
  EXPECT_EQ(go_rows(*elf, 10).size(), 10u);
  const auto m = read_module_rows(*elf);
  ASSERT_TRUE(m.ok());
  EXPECT_TRUE(m->leaves_only);
}
#endif

}  // namespace
}  // namespace srvprof
