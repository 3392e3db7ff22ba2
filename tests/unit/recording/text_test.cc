// The text form: the identity in both directions, what it forgives and what it refuses.
#include "support.h"

namespace srvprof {
namespace {

std::string binary_of(const std::string& text) {
  return test::recording_of([&](RecordingWriter& w) {
    const Status s = write_text(text, w);
    EXPECT_TRUE(s.ok()) << s.error().what;
  });
}

// The one line that `line` means.
std::string canonical(const std::string& line) {
  std::string text = test::dump_of(binary_of("srvprof-text 1\n" + line)).text;
  text.erase(0, text.find('\n') + 1);
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

std::string refused(const std::string& line) {
  const Status s = parse_text(
      "srvprof-text 1\n\n" + line + "\n", [](const auto&) {}, "x.txt");
  return s.ok() ? "accepted" : s.error().what;
}

TEST(Text, BinaryToTextToBinaryKeepsEveryRow) {
  test::Random random(42);
  const std::string first = test::recording_of([&](RecordingWriter& w) {
    for (std::size_t i = 0; i < 80 * kTableCount; ++i) {
      test::add(w, test::random_row(random, test::nth_table(i % kTableCount)));
    }
  });
  const auto want = test::rows_of(first);
  const auto got = test::rows_of(binary_of(test::dump_of(first).text));
  ASSERT_EQ(want.size(), 80 * kTableCount);
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    ASSERT_TRUE(test::same(want[i], got[i])) << test::text_of(want[i]) << "\n"
                                             << test::text_of(got[i]);
  }
}

TEST(Text, TextToBinaryToTextIsTheIdentityAlsoWhereTablesAlternate) {
  test::Random random(43);
  std::string text = "srvprof-text 1\n";
  for (int i = 0; i < 2000; ++i) {
    const Table table = test::nth_table(test::below(random, kTableCount));
    text += test::text_of(test::random_row(random, table)) + '\n';
  }
  EXPECT_EQ(test::dump_of(binary_of(text)).text, text);
}

TEST(Text, NoLineHoldsAControlCharacter) {
  test::Random random(44);
  for (int i = 0; i < 200; ++i) {
    for (const char c : test::text_of(test::random_row(random, Table::kProcess))) {
      const auto u = static_cast<unsigned char>(c);
      ASSERT_TRUE(u >= 0x20 && u != 0x7f) << unsigned{u};
    }
  }
}

TEST(Text, FormOfARow) {
  rows::Request r;
  r.t_arrive = time_from_ns(123);
  r.conn = 4;
  r.path_cut = true;
  r.path = "/a\nb\"c\\";
  EXPECT_EQ(to_text(r), R"(request t_arrive=123 conn=4 path_cut=1 path="/a\x0ab\"c\\")");
  EXPECT_EQ(to_text(rows::Stack{7, 0, {16, 32}}), "stack hash=7 pcs=0x10,0x20");
  EXPECT_EQ(to_text(rows::Governor{}), "governor");
  EXPECT_EQ(to_text(rows::Governor{{}, 0, ""}), "governor one_in=0");
  rows::Load l;
  l.exit_status = -9;
  l.t_start = Time(Duration(-5));
  EXPECT_EQ(to_text(l), "load t_start=-5 exit_status=-9");
}

TEST(Text, ForgivesBlanksCommentsOrderAndNotation) {
  EXPECT_EQ(canonical("  request\tconn=4   t_arrive=123  # why\r"), "request t_arrive=123 conn=4");
  EXPECT_EQ(canonical("# only a comment"), "");
  EXPECT_EQ(canonical("   \t "), "");
  EXPECT_EQ(canonical("request path=/a?b#c method=GET"), "request method=\"GET\" path=\"/a?b#c\"");
  EXPECT_EQ(canonical("request path= conn=0x1F"), "request conn=31");
  EXPECT_EQ(canonical("request path_cut=true"), "request path_cut=1");
  EXPECT_EQ(canonical("process target=false pid=1"), "process pid=1");
  EXPECT_EQ(canonical(R"(load output="a\nb\tc\r\x41\xC3\xA9")"),
            "load output=\"a\\x0ab\\x09c\\x0dA\xc3\xa9\"");
  EXPECT_EQ(canonical("stack pcs=1,0x2,3"), "stack pcs=0x1,0x2,0x3");
  EXPECT_EQ(canonical("request"), "request");
}

TEST(Text, TimesTakeUnits) {
  EXPECT_EQ(canonical("clock t=1.5ms"), "clock t=1500000");
  EXPECT_EQ(canonical("clock t=2s realtime_ns=3us"), "clock t=2000000000 realtime_ns=3000");
  EXPECT_EQ(canonical("clock t=7ns"), "clock t=7");
  EXPECT_EQ(canonical("clock t=-1us"), "clock t=-1000");
  EXPECT_EQ(canonical("clock t=0.000000001s"), "clock t=1");
  EXPECT_EQ(canonical("irq ns=1ms"), "irq ns=1000000");
  EXPECT_EQ(canonical("clock t=9223372036854775807"), "clock t=9223372036854775807");
  EXPECT_EQ(canonical("clock t=-9223372036854775808"), "clock t=-9223372036854775808");
  EXPECT_NE(refused("clock t=1.5ns").find("finer than a nanosecond"), std::string::npos);
  EXPECT_NE(refused("clock t=9223372036854775808").find("out of range"), std::string::npos);
  EXPECT_NE(refused("clock t=99999999999s").find("out of range"), std::string::npos);
  EXPECT_NE(refused("clock t=ms").find("not a number"), std::string::npos);
  EXPECT_NE(refused("clock t=1.xms").find("not a number"), std::string::npos);
  EXPECT_NE(refused("request conn=1ms").find("not a number"), std::string::npos);
}

TEST(Text, ErrorsNameLineTableAndReason) {
  EXPECT_EQ(refused("requests conn=1"), "reading x.txt: line 3: unknown table 'requests'");
  EXPECT_EQ(refused("request con=1"), "reading x.txt: line 3: request: unknown field 'con'");
  EXPECT_EQ(refused("request conn=1 conn=1"),
            "reading x.txt: line 3: request: field 'conn' is given twice");
  EXPECT_EQ(refused("request conn=4294967296"),
            "reading x.txt: line 3: request: field 'conn': '4294967296' is out of range");
  EXPECT_EQ(refused("request conn=99999999999999999999"),
            "reading x.txt: line 3: request: field 'conn': '99999999999999999999' is out of range");
  EXPECT_EQ(refused("request conn=-1"),
            "reading x.txt: line 3: request: field 'conn': '-1' is not a number");
  EXPECT_EQ(refused("request conn="),
            "reading x.txt: line 3: request: field 'conn': '' is not a number");
  EXPECT_EQ(refused("request conn"), "reading x.txt: line 3: request: 'conn' is not name=value");
  EXPECT_EQ(refused("request =1"),
            "reading x.txt: line 3: request: a field name is missing before '='");
  EXPECT_EQ(refused("request path=\"a"),
            "reading x.txt: line 3: request: field 'path': the closing quote is missing");
  EXPECT_EQ(refused("request path=\"a\"b"),
            "reading x.txt: line 3: request: field 'path': something follows the closing quote");
  EXPECT_EQ(refused("request path=a\"b"),
            "reading x.txt: line 3: request: field 'path': a quote inside a bare word");
  EXPECT_NE(refused("request path=\"\\q\"").find("escape"), std::string::npos);
  EXPECT_NE(refused("request path=\"\\x1\"").find("escape"), std::string::npos);
  EXPECT_NE(refused("request path=\"\\").find("escape"), std::string::npos);
  EXPECT_NE(refused("request path_cut=2").find("true or false"), std::string::npos);
  EXPECT_NE(refused("load exit_status=2147483648").find("out of range"), std::string::npos);
  EXPECT_NE(refused("stack pcs=1,").find("comma"), std::string::npos);
  EXPECT_NE(refused("stack pcs=1,,2").find("not a number"), std::string::npos);
  EXPECT_NE(refused("stack pcs=0x").find("not a number"), std::string::npos);
}

TEST(Text, TheHeaderLineIsNeeded) {
  const auto parse = [](std::string_view text) {
    const Status s = parse_text(
        text, [](const auto&) {}, "x.txt");
    return s.ok() ? "accepted" : s.error().what;
  };
  EXPECT_EQ(parse("# hello\n\n srvprof-text 1\n"), "accepted");
  EXPECT_EQ(parse("srvprof-text 1"), "accepted");
  EXPECT_NE(parse("").find("header line is missing"), std::string::npos);
  EXPECT_NE(parse("request conn=1").find("line 1: not a srvprof text"), std::string::npos);
  EXPECT_NE(parse("srvprof-text 2").find("does not read"), std::string::npos);
  EXPECT_NE(parse("srvprof-text").find("does not read"), std::string::npos);
}

TEST(Text, RandomBytesAreRefusedNotCrashedOn) {
  test::Random random(5);
  const std::string good = test::text_of(test::random_row(random, Table::kFrame));
  for (int i = 0; i < 3000; ++i) {
    std::string bad = good;
    for (int n = 0; n < 3; ++n) bad[test::below(random, bad.size())] = static_cast<char>(random());
    TextParser parser("x");
    AnyRow row;
    ASSERT_TRUE(parser.line(kTextHeader, row).ok());
    auto r = parser.line(bad, row);
    // Whatever is accepted has a canonical form that is stable.
    if (!r.ok() || !*r) continue;
    AnyRow again;
    ASSERT_TRUE(parser.line(test::text_of(row), again).ok());
    EXPECT_TRUE(test::same(row, again));
  }
}

TEST(Text, AnErrorOfTheSinkEndsTheDump) {
  const std::string bytes = test::recording_of([](RecordingWriter& w) {
    for (int i = 0; i < 20'000; ++i) w.add(rows::Meta{"key", std::to_string(i)});
  });
  int calls = 0;
  auto reader = test::reader_of(bytes);
  auto report = dump_text(*reader, [&](std::string_view) -> Status {
    ++calls;
    return Error{"broken pipe", ""};
  });
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.error().what, "broken pipe");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace srvprof
