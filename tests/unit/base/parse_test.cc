#include "base/parse.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace srvprof {
namespace {

using Words = std::vector<std::string>;

Words lines_of(std::string_view text) {
  Words out;
  std::string_view line;
  while (next_line(text, line)) out.emplace_back(line);
  return out;
}

TEST(Parse, LinesWithAndWithoutTheLastNewline) {
  EXPECT_EQ(lines_of(""), Words{});
  EXPECT_EQ(lines_of("a"), Words{"a"});
  EXPECT_EQ(lines_of("a\n\nb\n"), (Words{"a", "", "b"}));
}

TEST(Parse, FieldsBetweenBlanks) {
  std::string_view rest = " \ta  bc\td ";
  EXPECT_EQ(next_field(rest), "a");
  EXPECT_EQ(next_field(rest), "bc");
  EXPECT_EQ(next_field(rest), "d");
  EXPECT_EQ(next_field(rest), "");
  EXPECT_EQ(rest, "");
}

TEST(Parse, PartsBetweenSeparators) {
  std::string_view rest = "a::b";
  EXPECT_EQ(next_until(rest, ':'), "a");
  EXPECT_EQ(next_until(rest, ':'), "");
  EXPECT_EQ(next_until(rest, ':'), "b");
  EXPECT_EQ(next_until(rest, ':'), "");
}

TEST(Parse, Trim) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Parse, NumbersAreWholeAndInRange) {
  EXPECT_EQ(parse_number<std::uint32_t>("4294967295"), 4294967295u);
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<std::uint64_t>("ffffFFFF", 16), 0xffffffffu);
  for (const char* s : {"", " 1", "1 ", "1x", "x", "-1", "+1", "4294967296", "0x1"}) {
    EXPECT_FALSE(parse_number<std::uint32_t>(s).has_value()) << s;
  }
}

}  // namespace
}  // namespace srvprof
