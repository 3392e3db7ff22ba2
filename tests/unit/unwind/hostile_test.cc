// .eh_frame as nobody would write it: nothing may be read outside of it, and time and memory stay bounded.
#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "section.h"
#include "unwind/eh_frame.h"

namespace srvprof {
namespace {

// On the heap and exactly as long, so that a sanitizer sees every byte that is read beyond.
Result<EhFrame> parse(const Bytes& bytes, const EhFrameLimits& limits = {}) {
  auto copy = std::make_unique<std::uint8_t[]>(bytes.size());
  std::copy(bytes.begin(), bytes.end(), copy.get());
  return parse_eh_frame({copy.get(), bytes.size()}, kSectionVaddr, limits);
}

SectionBuilder good_section() {
  SectionBuilder s;
  const auto c = s.common();
  const auto signal = s.common("zRS");
  for (std::uint32_t i = 0; i < 8; ++i) {
    s.function(i % 4 == 3 ? signal : c, 0x1000 + i * 0x40, 0x40,
               {0x41, 0x0e, 0x10, 0x86, 0x02, 0x43, 0x0d, 0x06, 0x0a, 0x48, 0x0c, 0x07, 0x08, 0x41, 0x0b});
  }
  return s;
}

// Rows that are made must be ascending and indexed, whatever they were made of.
void check(EhFrame frame) {
  const ModuleRows m = make_module_rows(std::move(frame), 0x1000, 0x10000);
  for (std::size_t i = 1; i < m.rows.size(); ++i) ASSERT_LT(m.rows[i - 1].pc, m.rows[i].pc);
  for (const std::uint32_t row : m.index) ASSERT_LT(row, m.rows.size());
}

TEST(HostileEhFrame, CutAnywhere) {
  const Bytes whole = good_section().bytes;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    auto frame = parse(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)));
    ASSERT_TRUE(frame.ok());
    EXPECT_LE(frame->functions, 8u);
    check(std::move(*frame));
  }
}

TEST(HostileEhFrame, FlippedBytes) {
  const Bytes whole = good_section().bytes;
  std::mt19937 random(11);
  for (int round = 0; round < 20'000; ++round) {
    Bytes bytes = whole;
    for (int i = 0; i < 1 + round % 4; ++i) bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    auto frame = parse(bytes);
    ASSERT_TRUE(frame.ok());
    check(std::move(*frame));
  }
}

TEST(HostileEhFrame, Noise) {
  std::mt19937 random(12);
  for (int round = 0; round < 2000; ++round) {
    Bytes bytes(random() % 600);
    for (auto& b : bytes) b = static_cast<std::uint8_t>(random());
    auto frame = parse(bytes);
    ASSERT_TRUE(frame.ok());
    check(std::move(*frame));
  }
}

TEST(HostileEhFrame, EntriesThatReferToThemselvesOrForward) {
  SectionBuilder s;
  const auto c = s.common();
  Bytes self;
  put_le<std::uint32_t>(self, 4);  // its own length field: an entry with an id, no CIE
  self.resize(24);
  s.entry(self);
  Bytes forward;
  put_le<std::uint32_t>(forward, 0xfffffff0);
  forward.resize(24);
  s.entry(forward);
  s.function(c, 0x1000, 0x10, {});
  auto frame = parse(s.bytes);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame->functions, 1u);
  EXPECT_EQ(frame->malformed, 2u);
}

TEST(HostileEhFrame, AbsurdSizes) {
  SectionBuilder s;
  const auto c = s.common();
  s.function(c, 0x1000, 0x7fffffff, {0x04, 0xff, 0xff, 0xff, 0xff});  // beyond everything
  s.function(c, 0x1010, 0, {});                                       // nothing
  s.function(c, 0x1020, 0xffffffff, {});                              // less than nothing
  Bytes longer;
  put_le<std::uint32_t>(longer, 0x7fffffff);
  s.bytes.insert(s.bytes.end(), longer.begin(), longer.end());
  auto frame = parse(s.bytes);
  ASSERT_TRUE(frame.ok());
  EXPECT_EQ(frame->functions, 1u);
  check(std::move(*frame));
  Bytes extended;
  put_le<std::uint32_t>(extended, 0xffffffff);
  put_le<std::uint64_t>(extended, ~std::uint64_t{0});
  extended.resize(64);
  ASSERT_TRUE(parse(extended).ok());
}

TEST(HostileEhFrame, StatesAreBounded) {
  SectionBuilder s;
  Bytes body;
  const auto c = s.common();
  put_le<std::uint32_t>(body, static_cast<std::uint32_t>(s.bytes.size() + 4 - c));
  put_le<std::uint32_t>(body, static_cast<std::uint32_t>(0x1000 - (kSectionVaddr + s.bytes.size() + 8)));
  put_le<std::uint32_t>(body, 0x1000);
  body.push_back(0);
  body.insert(body.end(), 100'000, 0x0a);
  s.entry(body);
  EhFrameLimits limits;
  limits.states = 64;
  auto frame = parse(s.bytes, limits);
  ASSERT_TRUE(frame.ok());
  ASSERT_EQ(frame->rows.size(), 2u);  // given up, and its end
  EXPECT_EQ(frame->rows[0].cfa, kRowNone);
}

TEST(HostileEhFrame, LimitsAreErrors) {
  const SectionBuilder s = good_section();
  EhFrameLimits few;
  few.functions = 4;
  EXPECT_FALSE(parse(s.bytes, few).ok());
  EhFrameLimits small;
  small.section_bytes = 16;
  EXPECT_FALSE(parse(s.bytes, small).ok());
  EhFrameLimits short_table;
  short_table.rows = 10;
  EXPECT_FALSE(parse(s.bytes, short_table).ok());
}

}  // namespace
}  // namespace srvprof
