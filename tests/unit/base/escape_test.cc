#include "base/escape.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace srvprof {
namespace {

TEST(Escape, ControlsAndBadBytesBecomeHex) {
  EXPECT_EQ(escape_text("a\n\x1b[31m\x7f"), "a\\x0a\\x1b[31m\\x7f");
  EXPECT_EQ(escape_text(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(escape_text("a\\b"), "a\\\\b");
  EXPECT_EQ(escape_text("\xff\xc3"), "\\xff\\xc3");
}

TEST(Escape, WellFormedUtf8IsKept) {
  for (const char* s :
       {"\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xc2\xa0", "\xed\x9f\xbf"}) {
    EXPECT_EQ(escape_text(s), s);
  }
}

TEST(Escape, DisguisesAndIllFormedUtf8AreNot) {
  for (const char* s :
       {"\xc2\x9b" /* C1 control CSI */, "\xe2\x80\xae" /* right-to-left override */,
        "\xe2\x81\xa6" /* isolate */, "\xe2\x80\xa8" /* line separator */,
        "\xc0\xaf" /* overlong */, "\xe0\x80\xaf", "\xf0\x80\x80\x80",
        "\xed\xa0\x80" /* surrogate */, "\xf4\x90\x80\x80" /* beyond U+10FFFF */,
        "\xe2\x82" /* cut */, "\xf5\x80\x80\x80"}) {
    EXPECT_EQ(escape_text(s).substr(0, 2), "\\x") << s;
    EXPECT_EQ(unescape_text(escape_text(s)), s);
  }
}

TEST(Escape, UnescapeIsTheInverse) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 2000; ++i) {
    std::string s(random() % 40, '\0');
    for (char& c : s)
      c = static_cast<char>(random() % 3 == 0 ? "\\x0af\xc3\xa9"[random() % 7] : random());
    const std::string e = escape_text(s);
    ASSERT_EQ(unescape_text(e), s);
    for (const char c : e) ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  }
}

TEST(Escape, IllFormedEscapesStay) {
  for (const char* s : {"\\", "\\x", "\\x1", "\\xgg", "\\n", "a\\"}) EXPECT_EQ(unescape_text(s), s);
}

}  // namespace
}  // namespace srvprof
