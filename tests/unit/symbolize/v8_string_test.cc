#include "symbolize/v8_string.h"

#include <gtest/gtest.h>

#include "v8_image.h"

namespace srvprof {
namespace {

class V8String : public testing::Test {
 protected:
  std::string text(std::uint64_t tagged, std::uint32_t limit = 1000) {
    return v8_text(image_.layout, image_.reader(), tagged, limit).value_or("(none)");
  }
  V8Image image_;
};

TEST_F(V8String, Sequential) {
  EXPECT_EQ(text(image_.string("onRequest")), "onRequest");
  EXPECT_EQ(text(image_.string("caf\xe9")), "caf\xc3\xa9");
  EXPECT_EQ(text(image_.wide_string(u"\u00fcber\u4e2d\U0001f600")), "\xc3\xbc" "ber\xe4\xb8\xad\xf0\x9f\x98\x80");
  EXPECT_EQ(text(image_.wide_string(std::u16string(1, char16_t{0xd800}) + u"x")), "\xef\xbf\xbdx");
  EXPECT_EQ(text(image_.string("")), "");
  EXPECT_EQ(text(image_.string("abcdef"), 3), "abc");
}

TEST_F(V8String, MadeOfParts) {
  const auto hello = image_.string("hello "), world = image_.string("world");
  const auto cons = image_.cons(11, hello, world);
  EXPECT_EQ(text(cons), "hello world");
  EXPECT_EQ(text(cons, 8), "hello wo");
  EXPECT_EQ(text(image_.sliced(5, cons, 3)), "lo wo");
  EXPECT_EQ(text(image_.thin(5, world)), "world");
  EXPECT_EQ(text(image_.external("from outside")), "from outside");
  EXPECT_EQ(text(image_.cons(22, cons, image_.sliced(11, cons, 0))), "hello worldhello world");
}

TEST_F(V8String, NoStrings) {
  EXPECT_EQ(text(0), "(none)");
  EXPECT_EQ(text(V8Image::smi(7)), "(none)");
  EXPECT_EQ(text(image_.object(205, {0, 0})), "(none)");
  EXPECT_EQ(text(0x7000'0000'0001), "(none)");
  // External, but the characters are known to its embedder alone.
  EXPECT_EQ(text(image_.object(10 | 16, {V8Image::hash_and_length(4), 0, 0})), "(none)");
}

TEST_F(V8String, ImpossibleLengthsAndCyclesEnd) {
  // Longer than what is mapped.
  EXPECT_EQ(text(image_.object(8, {V8Image::hash_and_length(1'000'000)}), 2'000'000), "(none)");
  EXPECT_EQ(text(image_.object(8, {V8Image::hash_and_length(0xffffffff)})), "(none)");
  const auto loop = image_.cons(900, 0, 0);
  image_.put(loop - 1 + 16, image_.string(""));
  image_.put(loop - 1 + 24, loop);
  EXPECT_EQ(text(loop), "(none)");
  const auto thin = image_.thin(5, 0);
  image_.put(thin - 1 + 16, thin);
  EXPECT_EQ(text(thin), "(none)");
  // A slice beyond the end of its parent.
  EXPECT_EQ(text(image_.sliced(5, image_.string("short"), 3)), "(none)");
  EXPECT_EQ(text(image_.sliced(5, image_.string("short"), -1)), "(none)");
  EXPECT_LT(image_.reads(), 100'000u);
}

TEST_F(V8String, LineEnds) {
  const auto ends = [&](std::uint64_t tagged) {
    return v8_line_ends(image_.layout, image_.reader(), tagged, 1000, 100).value();
  };
  using Ends = std::vector<std::uint32_t>;
  EXPECT_EQ(ends(image_.string("a\nbc\n")), (Ends{1, 4, 5}));
  EXPECT_EQ(ends(image_.string("a\r\nb\rc")), (Ends{2, 4, 6}));
  EXPECT_EQ(ends(image_.wide_string(u"a\u2028b")), (Ends{1, 3}));
  EXPECT_EQ(ends(image_.cons(4, image_.string("a\r"), image_.string("\nb"))), (Ends{2, 4}));
}

}  // namespace
}  // namespace srvprof
