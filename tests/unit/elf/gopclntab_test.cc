#include "elf/gopclntab.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <random>
#include <set>
#include <sstream>

#include "elf/symbols.h"

namespace srvprof {
namespace {

constexpr std::uint32_t kPrintLine = 37;  // of sample/go/main.go

#ifndef GO_SAMPLE
#define GO_SAMPLE ""
#endif

// The symbol table marks assembly with .abi0 and writes out type arguments; .gopclntab does neither
// ("f[...]"), or only the latter, depending on the version.
std::string comparable(std::string name) {
  if (name.ends_with(".abi0")) name.resize(name.size() - 5);
  for (std::size_t at = 0; (at = name.find("\xc2\xb7", at)) != std::string::npos;) {
    name.replace(at, 2, ".");  // a middle dot before numbers
  }
  const std::size_t open = name.find('[');
  if (open == std::string::npos) return name;
  const std::size_t close = name.rfind(']');
  return name.substr(0, open) + "[...]" + name.substr(close + 1);
}

class GoTableTest : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (std::string(GO_SAMPLE).empty()) GTEST_SKIP() << "there is no Go compiler here";
    auto elf = open_elf(GO_SAMPLE + std::string(GetParam()));
    ASSERT_TRUE(elf.ok()) << elf.error().what;
    elf_ = std::move(*elf);
    auto table = read_go_table(elf_);
    ASSERT_TRUE(table.ok()) << table.error().what;
    table_ = std::move(*table);
  }
  ElfFile elf_;
  GoTable table_;
};

TEST_P(GoTableTest, KnowsItsVersionAndItsInlinedCalls) {
  EXPECT_TRUE(table_.version.starts_with("go1.")) << table_.version;
  EXPECT_NE(table_.funcdata, 0u);
}

TEST_P(GoTableTest, NamesAreThoseOfTheSymbolTable) {
  if (std::string(GetParam()) == ".pie") GTEST_SKIP() << "other addresses than the whole program";
  const auto whole = open_elf(GO_SAMPLE);
  ASSERT_TRUE(whole.ok());
  const auto symbols = read_symbols(*whole);
  ASSERT_TRUE(symbols.ok());
  std::mt19937_64 random(1);
  int checked = 0;
  while (checked < 3000) {
    const Symbol& s = symbols->symbols[random() % symbols->symbols.size()];
    const std::uint64_t pc = s.vaddr + random() % s.size;
    const auto f = find_go_function(table_, pc);
    const std::string expected(symbol_name(*symbols, s));
    if (!f && (expected.starts_with("runtime.") || expected.starts_with("_rt0"))) continue;  // markers
    ASSERT_TRUE(f) << expected;
    ++checked;
    // Two names for one address: the symbol table keeps both.
    if (f->entry != s.vaddr) continue;
    EXPECT_EQ(comparable(std::string(f->name)), comparable(expected));
  }
}

TEST_P(GoTableTest, FramesHaveFilesLinesAndInlinedCalls) {
  const auto f = find_go_function(table_, "main.main");
  ASSERT_TRUE(f);
  std::set<std::string> inlined;
  std::set<std::uint32_t> lines;
  for (std::uint64_t pc = f->entry; pc < f->end; ++pc) {
    if (!go_stack_growth(table_, *f, pc)) break;  // padding up to the next function
    const auto frames = go_frames(table_, elf_, pc);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().function, "main.main");
    EXPECT_TRUE(frames.back().file.ends_with("/main.go")) << frames.back().file;
    lines.insert(frames.back().line);
    if (frames.size() == 1) continue;
    inlined.insert(std::string(frames.front().function));
    EXPECT_TRUE(frames.front().file.ends_with(".go"));
  }
  EXPECT_TRUE(inlined.contains("fmt.Println"));
  EXPECT_TRUE(lines.contains(kPrintLine));
}

TEST_P(GoTableTest, ReturnSitesAreThoseOfTheDisassembler) {
  if (elf_.machine != EM_X86_64) GTEST_SKIP() << "return sites are read on x86-64 only";
  for (const char* name : {"runtime.gcAssistAlloc", "runtime.startTheWorldWithSema",
                           "runtime.gcMarkTermination", "runtime.stopTheWorldWithSema",
                           "runtime.gcStart", "main.work"}) {
    const auto f = find_go_function(table_, name);
    ASSERT_TRUE(f) << name;
    std::ostringstream command;
    command << OBJDUMP << " -d --start-address=" << f->entry << " --stop-address=" << f->end << " "
            << GO_SAMPLE << GetParam();
    std::vector<std::uint64_t> expected;
    FILE* pipe = ::popen(command.str().c_str(), "r");
    ASSERT_NE(pipe, nullptr);
    std::array<char, 1024> line;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
      const std::string text = line.data();
      if (text.find("\tret") != std::string::npos) {
        expected.push_back(std::stoull(text, nullptr, 16));
      }
    }
    ::pclose(pipe);
    EXPECT_FALSE(expected.empty()) << name;
    EXPECT_EQ(go_return_sites(table_, elf_, *f), expected) << name;
  }
}

TEST_P(GoTableTest, HostileTablesGiveNothingWrongOrWorse) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 200; ++round) {
    GoTable t = table_;
    if (round % 4 == 0) t.bytes.resize(random() % t.bytes.size());
    for (int i = 0; i < 2000 && !t.bytes.empty(); ++i) {
      t.bytes[random() % t.bytes.size()] = static_cast<char>(random());
    }
    if (round % 3 == 0) t.lookup = random();
    if (round % 5 == 0) t.pc_values = random();
    if (round % 7 == 0) t.funcdata = random();
    for (int i = 0; i < 200; ++i) {
      const std::uint64_t pc = t.text + random() % (8u << 20);
      for (const GoFrame& f : go_frames(t, elf_, pc)) EXPECT_LE(f.function.size(), 4096u);
      if (const auto f = find_go_function(t, pc)) {
        EXPECT_LE(go_return_sites(t, elf_, *f).size(), f->end - f->entry);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Forms, GoTableTest, testing::Values("", ".stripped", ".pie"),
                         [](const auto& i) {
                           const std::string form = i.param;
                           return form.empty() ? std::string("Whole") : form.substr(1);
                         });

TEST(GoTable, IsNotInProgramsOfOtherLanguages) {
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  EXPECT_FALSE(read_go_table(*elf).ok());
  EXPECT_EQ(read_go_version(*elf), "");
}

}  // namespace
}  // namespace srvprof
