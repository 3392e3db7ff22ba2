#include "loadgen/text.h"

#include <gtest/gtest.h>

namespace srvprof {
namespace {

long long ns(const std::optional<Figure>& f) { return f ? f->value.count() : -1; }
long long step(const std::optional<Figure>& f) { return f ? f->resolution.count() : -1; }

TEST(Decimal, IsExactAndKnowsItsLastDigit) {
  EXPECT_EQ(ns(parse_decimal("0.0064", kSecond)), 6'400'000);
  EXPECT_EQ(step(parse_decimal("0.0064", kSecond)), 100'000);
  EXPECT_EQ(ns(parse_decimal("1796042921828.463", kMillisecond)), 1796042921828463000);
  EXPECT_EQ(ns(parse_decimal("1796038607019468248", kNanosecond)), 1796038607019468248);
  EXPECT_EQ(ns(parse_decimal("12.3456789", kMicrosecond)), 12'345);  // below 1 ns: cut
  EXPECT_EQ(step(parse_decimal("12.3456789", kMicrosecond)), 1);
  EXPECT_EQ(ns(parse_decimal("1.5", 60 * kSecond)), 90'000'000'000);
  EXPECT_EQ(ns(parse_decimal("7.", kSecond)), 7'000'000'000);
  EXPECT_EQ(ns(parse_decimal("1e-05", kSecond)), 10'000);
}

TEST(Decimal, RefusesWhatIsNoTime) {
  for (const char* s : {"", "-1", "+1", " 1", "1 ", "nan", "-nan", "inf", "0x10", "1,5", "1.2.3",
                        ".5", "1e400", "1e", "99999999999", "999999999999999999999"}) {
    EXPECT_FALSE(parse_decimal(s, kSecond)) << s;
  }
}

TEST(DurationText, OfAllTools) {
  EXPECT_EQ(ns(parse_printed_duration("399.00us")), 399'000);
  EXPECT_EQ(step(parse_printed_duration("399.00us")), 10);
  EXPECT_EQ(ns(parse_printed_duration("44.17ms")), 44'170'000);
  EXPECT_EQ(ns(parse_printed_duration("148.651\xc2\xb5s")), 148'651);
  EXPECT_EQ(ns(parse_printed_duration("148.651\xce\xbcs")), 148'651);
  EXPECT_EQ(ns(parse_printed_duration("1h2m3.5s")), 3'723'500'000'000);
  EXPECT_EQ(step(parse_printed_duration("1m2.345s")), 1'000'000);
  EXPECT_EQ(ns(parse_printed_duration("0s")), 0);
  for (const char* s : {"", "ms", "1", "1.2", "1x", "-1ms", "1ms2", "1msms", "900000h"}) {
    EXPECT_FALSE(parse_printed_duration(s)) << s;
  }
}

TEST(Rfc3339, WithFractionsAndZones) {
  EXPECT_EQ(parse_rfc3339("1970-01-01T00:00:00Z"), Duration{0});
  EXPECT_EQ(parse_rfc3339("2026-11-30T11:36:50.298683714Z"), Duration{1796038610298683714});
  EXPECT_EQ(parse_rfc3339("2026-11-30T13:36:50.298683714+02:00"), Duration{1796038610298683714});
  EXPECT_EQ(parse_rfc3339("2026-11-30T05:06:50.5-06:30"), Duration{1796038610500000000});
  EXPECT_EQ(parse_rfc3339("2024-02-29T00:00:00Z"), Duration{1709164800} * 1'000'000'000);
  for (const char* s : {"", "2026", "2026-11-30", "2026-11-30T11:36:50", "2026-02-29T00:00:00Z",
                        "1969-12-31T23:59:59Z", "1970-01-01T00:00:00+01:00", "2069-01-01T00:00:00Z",
                        "2026-13-01T00:00:00Z", "2026-11-30T24:00:00Z", "2026-11-30T11:60:00Z",
                        "2026-11-30T11:36:61Z", "2026-11-30T11:36:50Zx", "2026-11-30T11:36:.5Z"}) {
    EXPECT_FALSE(parse_rfc3339(s)) << s;
  }
}

TEST(Url, IsKeptWithoutSecrets) {
  EXPECT_EQ(clean_url("http://u:p@h:80/a/b?token=1#x"), "http://h:80/a/b");
  EXPECT_EQ(clean_url("https://h?x=@y"), "https://h");
  EXPECT_EQ(clean_url("http://h/a@b"), "http://h/a@b");
  EXPECT_EQ(path_of_url("http://h:80/a/b?x=1"), "/a/b");
  EXPECT_EQ(path_of_url("http://h:80"), "/");
  EXPECT_EQ(path_of_url("http://h?x=1"), "/");
  EXPECT_EQ(path_of_url("/a?x=1"), "/a");
  EXPECT_EQ(path_of_url(""), "");
  EXPECT_EQ(path_of_url("/" + std::string(1000, 'a')).size(), 256u);
}

TEST(Terminal, ColoursAndProgressLinesGo) {
  EXPECT_EQ(strip_terminal("\x1b[1;32mok\x1b[0m\r50%\r100%\r\nend\x1b["), "ok\n50%\n100%\r\nend");
}

TEST(Json, NumbersAreBounded) {
  EXPECT_EQ(duration_of(1.5, kMillisecond), Duration{1'500'000});
  EXPECT_FALSE(duration_of(-0.1, kMillisecond));
  EXPECT_FALSE(duration_of(1e300, kMillisecond));
  EXPECT_FALSE(duration_of(std::numeric_limits<double>::quiet_NaN(), kMillisecond));
}

}  // namespace
}  // namespace srvprof
