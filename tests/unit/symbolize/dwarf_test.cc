#include "symbolize/dwarf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>

#include "base/parse.h"
#include "elf/symbols.h"

namespace srvprof {
namespace {

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The number of the line that holds `text`.
std::uint32_t line_with(std::string_view text) {
  const std::string source = contents(DWARF_SAMPLE_SOURCE);
  std::string_view rest = source, line;
  for (std::uint32_t number = 1; next_line(rest, line); ++number) {
    if (line.find(text) != std::string_view::npos) return number;
  }
  return 0;
}

Symbol function(const ElfFile& elf, std::string_view name) {
  const auto table = read_symbols(elf);
  if (!table.ok()) return {};
  for (const Symbol& s : table->symbols) {
    if (symbol_name(*table, s) == name) return s;
  }
  return {};
}

TEST(DwarfLines, InlinedCallsAndTheirPlaces) {
  const auto elf = open_elf(DWARF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  const auto lines = DwarfLines::open(*elf);
  ASSERT_NE(lines, nullptr);
  const Symbol outer = function(*elf, "holds_the_call");
  ASSERT_NE(outer.size, 0u);
  std::set<std::uint32_t> inner_lines, call_lines;
  for (std::uint64_t at = outer.vaddr; at < outer.vaddr + outer.size; ++at) {
    const auto calls = lines->at(at);
    ASSERT_FALSE(calls.empty()) << at;
    ASSERT_LE(calls.size(), 2u);
    EXPECT_EQ(calls.back().function, "holds_the_call");
    EXPECT_TRUE(calls.back().file.ends_with("dwarf_sample.c")) << calls.back().file;
    if (calls.size() < 2) continue;
    EXPECT_EQ(calls[0].function, "inlined_step");
    inner_lines.insert(calls[0].line);
    call_lines.insert(calls[1].line);
  }
  EXPECT_TRUE(inner_lines.contains(line_with("/* inlined line */")));
  EXPECT_EQ(call_lines, std::set<std::uint32_t>{line_with("/* call line */")});
  EXPECT_TRUE(lines->at(0).empty());
  EXPECT_TRUE(lines->at(~std::uint64_t{0}).empty());
}

TEST(DwarfLines, NoneInAFileWithoutDebugInformation) {
  const auto elf = open_elf(ELF_STRIPPED);
  ASSERT_TRUE(elf.ok());
  EXPECT_EQ(DwarfLines::open(*elf), nullptr);
}

TEST(DwarfLines, DamagedFilesEnd) {
  const std::string bytes = contents(DWARF_SAMPLE);
  const auto whole = open_elf(DWARF_SAMPLE);
  ASSERT_TRUE(whole.ok());
  const Symbol outer = function(*whole, "holds_the_call");
  std::vector<ElfSection> debug;
  for (const auto& s : whole->sections) {
    if (s.name.starts_with(".debug_") && s.size != 0) debug.push_back(s);
  }
  ASSERT_FALSE(debug.empty());
  const std::string path = testing::TempDir() + "dwarf_damaged." + std::to_string(::getpid());
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    std::string damaged = bytes;
    for (int i = 0; i < 1 + round % 16; ++i) {
      const ElfSection& s = debug[random() % debug.size()];
      damaged[s.offset + random() % s.size] = static_cast<char>(random());
    }
    std::ofstream(path, std::ios::binary) << damaged;
    const auto elf = open_elf(path);
    ASSERT_TRUE(elf.ok());
    const auto lines = DwarfLines::open(*elf);
    if (lines == nullptr) continue;
    for (std::uint64_t at = outer.vaddr; at < outer.vaddr + outer.size; at += 5) {
      EXPECT_LT(lines->at(at).size(), 100u);
    }
  }
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace srvprof
