#include "render/layout.h"

#include <gtest/gtest.h>

#include "render/numbers.h"
#include "render/xml.h"

namespace srvprof {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Numbers, AreReadable) {
  EXPECT_EQ(count_text(0), "0");
  EXPECT_EQ(count_text(999), "999");
  EXPECT_EQ(count_text(123870), "123,870");
  EXPECT_EQ(count_text(18446744073709551615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(ms_text(microseconds(41300)), "41.3");
  EXPECT_EQ(ms_text(microseconds(900)), "0.90");
  EXPECT_EQ(ms_text(microseconds(4)), "0.004");
  EXPECT_EQ(ms_text(seconds(2)), "2,000");
  EXPECT_EQ(ms_text(-milliseconds(3)), "-3.0");
  EXPECT_EQ(ms_text(Duration{}), "0");
  EXPECT_EQ(duration_text(Duration(850)), "850 ns");
  EXPECT_EQ(duration_text(Duration(1400)), "1.4 us");
  EXPECT_EQ(duration_text(seconds(30)), "30.0 s");
  EXPECT_EQ(percent_text(0.78), "78 %");
  EXPECT_EQ(percent_text(0.012), "1.2 %");
  EXPECT_EQ(percent_text(0), "0 %");
  EXPECT_EQ(clock_text(seconds(30)), "00:30");
  EXPECT_EQ(clock_text(seconds(3723)), "1:02:03");
  EXPECT_EQ(clock_text(-seconds(1)), "00:00");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(4096), "4.0 KiB");
  EXPECT_EQ(bytes_text(std::uint64_t{5} << 30), "5.0 GiB");
}

TEST(Layout, CountsCodePointsAndNotColours) {
  EXPECT_EQ(display_width("abc"), 3u);
  EXPECT_EQ(display_width("\xc3\xa4\xe2\x82\xac"), 2u);
  EXPECT_EQ(display_width(Paint(true).bold("abc")), 3u);
  EXPECT_EQ(Paint(false).bold("abc"), "abc");
}

TEST(Layout, ShortensWithoutCuttingCharacters) {
  EXPECT_EQ(shorten("abcdef", 6), "abcdef");
  EXPECT_EQ(shorten("abcdefg", 6), "abcd..");
  EXPECT_EQ(shorten("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4", 3), "\xc3\xa4..");
  EXPECT_EQ(shorten_middle("/a/very/long/path", 11), "/a/v../path");
}

TEST(Layout, WrapsAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrap("* ", 2, "aaa bbb ccc", 9), "* aaa bbb\n  ccc\n");
  EXPECT_EQ(wrap("", 0, "0123456789", 4), "0123456789\n");
  EXPECT_EQ(wrap("x", 1, "", 10), "x\n");
  EXPECT_EQ(wrap("", 0, "p50 1 ms   (phase steady)", 80), "p50 1 ms   (phase steady)\n");
}

TEST(Layout, TablesAlign) {
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight});
  table.row({"name", "n"});
  table.row({"a", "100"});
  EXPECT_EQ(table.text("  ", Paint(false)), "  name    n\n  a     100\n");
}

TEST(Xml, EscapesMarkupControlAndNonCharacters) {
  EXPECT_EQ(xml_text("<a b=\"c\">&'"), "&lt;a b=&quot;c&quot;&gt;&amp;&#39;");
  EXPECT_EQ(xml_text("\x1b"), "\\x1b");
  EXPECT_EQ(xml_text("\xef\xbf\xbf|\xef\xbf\xbe|\xef\xbf\xbd"),
            "\\xef\\xbf\\xbf|\\xef\\xbf\\xbe|\xef\xbf\xbd");
  EXPECT_EQ(xml_text("\xef"), "\\xef");
}

}  // namespace
}  // namespace srvprof
