// Where probes are put: USDT notes, functions by name, functions by the text that they print.
#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include "elf/string_xref.h"
#include "elf/symbol_search.h"
#include "elf/symbols.h"
#include "elf/usdt.h"

namespace srvprof {
namespace {

using How = ArgumentPlace::How;

std::string file_bytes(const char* path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::uint64_t address_of(const ElfFile& elf, std::string_view name) {
  const auto table = read_symbols(elf);
  EXPECT_TRUE(table.ok());
  for (const Symbol& s : table->symbols) {
    if (symbol_name(*table, s) == name) return s.vaddr;
  }
  return 0;
}

TEST(Usdt, ReadsTheNotesOfAProgram) {
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  const auto probes = read_usdt(*elf);
  ASSERT_TRUE(probes.ok()) << probes.error().what;
  ASSERT_EQ(probes->size(), 1u);
  const UsdtProbe& p = probes->front();
  EXPECT_EQ(p.provider, "sample");
  EXPECT_EQ(p.name, "marked");
  EXPECT_EQ(p.semaphore, 0u);
  EXPECT_GE(p.vaddr, address_of(*elf, "sample_marked"));
  EXPECT_LT(p.vaddr, address_of(*elf, "sample_marked") + 64);
  EXPECT_EQ(p.arguments.size(), 2u);
}

TEST(Usdt, ReadsPlacesOfArguments) {
  const auto a = parse_usdt_arguments("8@%rax -4@$-5 1@%dil 8@-9(%rbp) 4@(%r12) 2@%bx 8@x(%rip) 3@%rax junk",
                                      EM_X86_64);
  ASSERT_EQ(a.size(), 9u);
  EXPECT_EQ(a[0].how, How::kRegister);
  EXPECT_EQ(a[0].reg, 10);
  EXPECT_EQ(a[0].size, 8);
  EXPECT_EQ(a[1].how, How::kConstant);
  EXPECT_EQ(a[1].offset, -5);
  EXPECT_EQ(a[2].reg, 14);
  EXPECT_EQ(a[2].size, 1);
  EXPECT_EQ(a[3].how, How::kMemory);
  EXPECT_EQ(a[3].reg, 4);
  EXPECT_EQ(a[3].offset, -9);
  EXPECT_EQ(a[4].how, How::kMemory);
  EXPECT_EQ(a[4].reg, 3);
  EXPECT_EQ(a[5].reg, 5);
  EXPECT_EQ(a[5].size, 2);
  for (std::size_t i = 6; i < 9; ++i) EXPECT_EQ(a[i].how, How::kNone) << i;
  const auto b = parse_usdt_arguments("8@x0 -4@[sp, 16] 8@[x3, -8] 4@7 8@sp", EM_AARCH64);
  ASSERT_EQ(b.size(), 5u);
  EXPECT_EQ(b[0].how, How::kRegister);
  EXPECT_EQ(b[1].how, How::kNone);  // the stack pointer is not read
  EXPECT_EQ(b[2].how, How::kMemory);
  EXPECT_EQ(b[2].offset, -8);
  EXPECT_EQ(b[3].offset, 7);
  EXPECT_EQ(b[4].how, How::kNone);
}

TEST(Usdt, SurvivesHostileFiles) {
  const std::string whole = file_bytes(ELF_SAMPLE);
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  const ElfSection* notes = find_section(*elf, ".note.stapsdt");
  ASSERT_NE(notes, nullptr);
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = whole;
    for (int i = 0; i < 4; ++i) bytes[notes->offset + random() % notes->size] = static_cast<char>(random());
    const auto hostile = open_elf_image(std::move(bytes));
    ASSERT_TRUE(hostile.ok());
    const auto probes = read_usdt(*hostile);
    if (probes.ok()) {
      EXPECT_LE(probes->size(), 2u);
    }
  }
}

TEST(SymbolSearch, FindsFunctionsByTheirBeginning) {
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  constexpr std::string_view kPrefixes[] = {"sample_compl", "no_such_function", "sample_mar"};
  const auto found = find_functions(*elf, kPrefixes);
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->size(), 2u);
  for (const FoundFunction& f : *found) EXPECT_EQ(f.vaddr, address_of(*elf, f.name)) << f.name;
}

TEST(StringReference, FindsAFunctionByItsMessageAndItsCaller) {
  for (const char* path : {ELF_SAMPLE, ELF_STRIPPED}) {
    const auto elf = open_elf(path), whole = open_elf(ELF_SAMPLE);
    ASSERT_TRUE(elf.ok() && whole.ok());
    if (elf->machine != EM_X86_64) GTEST_SKIP() << "references are read on x86-64 only";
    const auto text = find_text(*elf, "the sample complains of a large number");
    ASSERT_TRUE(text);
    const auto users = find_references(*elf, {*text, 0x7fff12345678}, false);
    ASSERT_EQ(users.size(), 2u);
    ASSERT_EQ(users[0].size(), 1u);
    EXPECT_TRUE(users[1].empty());
    EXPECT_EQ(users[0][0].function, address_of(*whole, "sample_complaint"));
    EXPECT_FALSE(find_text(*elf, "complains of"));  // only whole strings
  }
}

}  // namespace
}  // namespace srvprof
