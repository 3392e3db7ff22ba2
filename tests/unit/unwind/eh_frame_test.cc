#include "unwind/eh_frame.h"

#include <gtest/gtest.h>

#include "section.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kBase = 0x1000;

ModuleRows rows_of(const SectionBuilder& s, std::uint32_t span = 0x4000) {
  auto frame = parse_eh_frame(s.bytes, kSectionVaddr);
  EXPECT_TRUE(frame.ok());
  if (!frame.ok()) return {};
  return make_module_rows(std::move(*frame), kBase, span);
}

using Rows = std::vector<UnwindRow>;

TEST(EhFrame, FunctionWithFramePointer) {
  SectionBuilder s;
  const auto c = s.common();
  // push rbp; mov rbp, rsp; ...; leave; ret
  s.function(c, 0x1100, 0x40, {0x41, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06, 0x70, 0x0c, 0x07, 0x08});
  const ModuleRows m = rows_of(s);
  EXPECT_EQ(m.rows, (Rows{{0, kRowNone, 0},
                          {0x100, 1, 0},
                          {0x101, 2, -2},
                          {0x104, -2, -2},
                          {0x134, 1, -2},
                          {0x140, kRowNone, 0}}));
  EXPECT_EQ(m.functions, 1u);
  EXPECT_EQ(m.frame_pointers, 1u);
  EXPECT_EQ(find_row(m, 0xff), nullptr);
  ASSERT_NE(find_row(m, 0x133), nullptr);
  EXPECT_EQ(find_row(m, 0x133)->cfa, -2);
  EXPECT_EQ(find_row(m, 0x140), nullptr);
}

TEST(EhFrame, RememberedStateComesBack) {
  SectionBuilder s;
  // sub rsp, 0x20; remember; add rsp, 0x20; (ret); restore
  s.function(s.common(), 0x1000, 0x20, {0x44, 0x0e, 0x28, 0x48, 0x0a, 0x0e, 0x08, 0x41, 0x0b});
  EXPECT_EQ(rows_of(s).rows,
            (Rows{{0, 1, 0}, {4, 5, 0}, {0xc, 1, 0}, {0xd, 5, 0}, {0x20, kRowNone, 0}}));
}

TEST(EhFrame, OutermostFunctionEndsTheWalk) {
  SectionBuilder s;
  s.function(s.common(), 0x1000, 0x10, {0x07, 0x10});
  EXPECT_EQ(rows_of(s).rows, (Rows{{0, kRowEnd, 0}, {0x10, kRowNone, 0}}));
}

TEST(EhFrame, ThreadsBeginInTheGapBeforeTheirOutermostFunction) {
  SectionBuilder s;
  const auto c = s.common();
  s.function(c, 0x1000, 0x30, {});
  s.function(c, 0x1038, 0x10, {0x07, 0x10});
  s.function(c, 0x1100, 0x10, {0x07, 0x10});
  EXPECT_EQ(rows_of(s).rows, (Rows{{0, 1, 0},
                                   {0x30, kRowEnd, 0},
                                   {0x38, kRowEnd, 0},
                                   {0x48, kRowNone, 0},
                                   {0x100, kRowEnd, 0},
                                   {0x110, kRowNone, 0}}));
}

TEST(EhFrame, SignalFrame) {
  SectionBuilder s;
  s.function(s.common("zRS"), 0x1000, 0x10, {0x0f, 0x03, 0x77, 0xa0, 0x01});
  EXPECT_EQ(rows_of(s).rows, (Rows{{0, kRowSignal, 0}, {0x10, kRowNone, 0}}));
}

TEST(EhFrame, LinkageTable) {
  SectionBuilder s;
  s.function(s.common(), 0x1000, 0x40,
             {0x0e, 0x10, 0x46, 0x0e, 0x18, 0x4a, 0x0f, 0x0b, 0x77, 0x08, 0x80, 0x00, 0x3f, 0x1a, 0x3b, 0x2a,
              0x33, 0x24, 0x22});
  EXPECT_EQ(rows_of(s).rows, (Rows{{0, 2, 0}, {6, 3, 0}, {0x10, kRowPlt, 11}, {0x40, kRowNone, 0}}));
}

TEST(EhFrame, AlignedStackAndSavedStackPointer) {
  SectionBuilder s;
  const auto c = s.common();
  // CFA = *(rbp - 8), rbp saved at rbp; then CFA = *(rsp + 24) + 8 with rbp at CFA - 16.
  s.function(c, 0x1000, 0x20, {0x10, 0x06, 0x02, 0x76, 0x00, 0x0f, 0x03, 0x76, 0x78, 0x06});
  s.function(c, 0x1020, 0x20, {0x86, 0x02, 0x0f, 0x05, 0x77, 0x18, 0x06, 0x23, 0x08});
  const ModuleRows m = rows_of(s);
  EXPECT_EQ(m.rows, (Rows{{0, kRowDeref, -1}, {0x20, kRowDerefSp + 3, -2}, {0x40, kRowNone, 0}}));
  EXPECT_EQ(m.unsupported, 0u);
}

TEST(EhFrame, WhatIsNotHeldHasNoRow) {
  SectionBuilder s;
  const auto c = s.common();
  s.function(c, 0x1000, 0x10, {0x0c, 0x00, 0x08});              // CFA = rax + 8
  s.function(c, 0x1010, 0x10, {0x0e, 0x0c});                    // CFA = rsp + 12
  s.function(c, 0x1020, 0x10, {0x0f, 0x02, 0x77, 0x08});        // CFA = rsp + 8 as an expression
  s.function(c, 0x1030, 0x10, {0x10, 0x06, 0x02, 0x77, 0x00});  // rbp saved at rsp
  const ModuleRows m = rows_of(s);
  EXPECT_EQ(m.rows, (Rows{{0, kRowNone, 0}, {0x30, 1, kRbpLost}, {0x40, kRowNone, 0}}));
  EXPECT_EQ(m.unsupported, 3u);
}

TEST(EhFrame, NeighboursAndGaps) {
  SectionBuilder s;
  const auto c = s.common();
  s.function(c, 0x1800, 0x100, {0x42, 0x0e, 0x10});
  s.function(c, 0x1700, 0x100, {});  // not in order; ends where the other begins
  const ModuleRows m = rows_of(s);
  EXPECT_EQ(m.rows, (Rows{{0, kRowNone, 0}, {0x700, 1, 0}, {0x802, 2, 0}, {0x900, kRowNone, 0}}));
}

TEST(EhFrame, IndexLeadsToTheSameRows) {
  SectionBuilder s;
  const auto c = s.common();
  for (std::uint32_t i = 0; i < 300; ++i) {
    s.function(c, 0x1000 + i * 37, 30, {0x43, 0x0e, static_cast<std::uint8_t>(0x10 + 8 * (i % 8))});
  }
  const ModuleRows m = rows_of(s);
  ASSERT_EQ(m.index.size(), (0x4000u >> kBucketShift) + 2);
  for (std::uint32_t d = 0; d < 0x4000; ++d) {
    // As the kernel side looks it up: among the rows of the bucket.
    std::uint32_t at = m.index[d >> kBucketShift];
    while (at < m.index[(d >> kBucketShift) + 1] && m.rows[at + 1].pc <= d) ++at;
    const UnwindRow* row = find_row(m, d);
    const UnwindRow none{m.rows[at].pc, kRowNone, 0};
    ASSERT_EQ(row == nullptr ? none : *row, m.rows[at]) << d;
  }
}

TEST(EhFrame, LongCodeWithoutRowsIsBare) {
  SectionBuilder s;
  const auto c = s.common();
  s.function(c, 0x1000, 0x10, {});
  s.function(c, 0x1000 + 0x20000, 0x10, {});
  const ModuleRows m = rows_of(s, 0x24000);
  ASSERT_EQ(m.bare.size(), 1u);
  EXPECT_EQ(m.bare[0].first, 0x10u);
  EXPECT_EQ(m.bare[0].second, 0x20000u);
}

TEST(EhFrame, RowsOutsideOfTheCodeAreDropped) {
  SectionBuilder s;
  const auto c = s.common();
  s.function(c, 0x10, 0x20, {});       // below
  s.function(c, 0x900000, 0x20, {});   // above
  EXPECT_TRUE(rows_of(s).rows.empty());
}

}  // namespace
}  // namespace srvprof
