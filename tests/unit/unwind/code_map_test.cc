#include "unwind/code_map.h"

#include <gtest/gtest.h>

namespace srvprof {
namespace {

MemoryMapping mapping(std::uint64_t start, std::uint64_t end, bool exec, MappingKind kind,
                      std::uint64_t offset = 0) {
  MemoryMapping m;
  m.start = start;
  m.end = end;
  m.exec = exec;
  m.kind = kind;
  m.offset = offset;
  if (kind == MappingKind::kFile) m.path = "/lib/x.so";
  return m;
}

struct Sample {
  Sample() {
    elf.segments = {{0, 0, 0x1000, 0x1000, false, false}, {0x1000, 0x11000, 0x3000, 0x3000, true, false}};
    rows.base = 0x11000;
    rows.span = 0x3000;
    rows.rows = {{0, 1, 0}};
  }
  MappedCode code(bool managed = false) const { return {&elf, &rows, managed}; }
  ElfFile elf;
  ModuleRows rows;
};

TEST(CodeMap, AddressesBecomeDistances) {
  const Sample s;
  const std::vector<MemoryMapping> maps{mapping(0x500000, 0x501000, false, MappingKind::kFile),
                                        mapping(0x501000, 0x504000, true, MappingKind::kFile, 0x1000)};
  const auto code = map_code(maps, [&](const MemoryMapping&) { return s.code(); });
  ASSERT_EQ(code.size(), 1u);
  EXPECT_EQ(code[0].start, 0x501000u);
  EXPECT_EQ(code[0].bias, 0x501000u);
  EXPECT_EQ(code[0].rows, &s.rows);
}

TEST(CodeMap, PartsOfASegmentAndSecondMappings) {
  const Sample s;
  const std::vector<MemoryMapping> maps{mapping(0x501000, 0x504000, true, MappingKind::kFile, 0x1000),
                                        mapping(0x900000, 0x901000, true, MappingKind::kFile, 0x2000)};
  const auto code = map_code(maps, [&](const MemoryMapping&) { return s.code(); });
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(0x900010 - code[1].bias, 0x1010u);
}

TEST(CodeMap, RegionsOfARuntimeGrowInPlace) {
  const std::vector<MemoryMapping> maps{mapping(0x1000, 0x2000, false, MappingKind::kAnonymous),
                                        mapping(0x2000, 0x3000, true, MappingKind::kAnonymous),
                                        mapping(0x3000, 0x9000, false, MappingKind::kAnonymous),
                                        mapping(0xa000, 0xb000, false, MappingKind::kAnonymous),
                                        mapping(0xc000, 0xd000, true, MappingKind::kSpecial)};
  const auto code = map_code(maps, [](const MemoryMapping&) { return MappedCode{}; });
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].start, 0x1000u);
  EXPECT_EQ(code[0].end, 0x9000u);
  EXPECT_TRUE(code[0].managed);
  EXPECT_FALSE(code[1].managed);
}

TEST(CodeMap, BareCodeOfARuntimeIsManaged) {
  Sample s;
  s.rows.bare = {{0x1000, 0x2000}};
  const std::vector<MemoryMapping> maps{mapping(0x501000, 0x504000, true, MappingKind::kFile, 0x1000)};
  const auto code = map_code(maps, [&](const MemoryMapping&) { return s.code(true); });
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].end, 0x502000u);
  EXPECT_EQ(code[1].rows, nullptr);
  EXPECT_TRUE(code[1].managed);
  EXPECT_EQ(code[2].start, 0x503000u);
  EXPECT_EQ(code[2].bias, code[0].bias);
  EXPECT_FALSE(code[2].managed);
}

TEST(CodeMap, WhatDoesNotFitTheFileHasNoRows) {
  const Sample s;
  const std::vector<MemoryMapping> maps{
      mapping(0x501000, 0x508000, true, MappingKind::kFile, 0x1000),         // longer than its code
      mapping(0x600000, 0x601000, true, MappingKind::kFile, 0x900000000)};  // outside of the file
  const auto code = map_code(maps, [&](const MemoryMapping&) { return s.code(); });
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0].rows, nullptr);
  EXPECT_EQ(code[1].rows, nullptr);
}

}  // namespace
}  // namespace srvprof
