#include "loadgen/csv.h"

#include <gtest/gtest.h>

namespace srvprof {
namespace {

using Record = std::vector<std::string>;

// All records as strings; the last one is {"error", what} if the reader refuses.
std::vector<Record> read_all(std::string_view text, bool* open_end = nullptr) {
  CsvReader csv(text);
  std::vector<std::string_view> fields;
  std::vector<Record> out;
  while (true) {
    const Result<bool> got = csv.next(fields);
    if (!got.ok()) {
      out.push_back({"error", got.error().what});
      return out;
    }
    if (!*got) return out;
    out.emplace_back(fields.begin(), fields.end());
    if (open_end != nullptr) *open_end = csv.open_end();
  }
}

TEST(Csv, FieldsQuotesAndLineEnds) {
  EXPECT_EQ(read_all("a,b\n1,2\n"), (std::vector<Record>{{"a", "b"}, {"1", "2"}}));
  EXPECT_EQ(read_all("a,b\r\n\r\n,\r\n"), (std::vector<Record>{{"a", "b"}, {"", ""}}));
  EXPECT_EQ(read_all("\"a,\"\"b\"\"\",\"x\ny\",z\n"),
            (std::vector<Record>{{"a,\"b\"", "x\ny", "z"}}));
  EXPECT_EQ(read_all(""), std::vector<Record>{});
}

TEST(Csv, SaysWhetherTheLastLineIsOpen) {
  bool open = false;
  read_all("a,b\n1,2", &open);
  EXPECT_TRUE(open);
  read_all("a,b\n1,2\n", &open);
  EXPECT_FALSE(open);
}

TEST(Csv, LinesAreCountedWithinQuotes) {
  CsvReader csv("\"a\nb\",1\nc,2\n");
  std::vector<std::string_view> fields;
  ASSERT_TRUE(*csv.next(fields));
  EXPECT_EQ(csv.line(), 1u);
  ASSERT_TRUE(*csv.next(fields));
  EXPECT_EQ(csv.line(), 3u);
}

TEST(Csv, RefusesBrokenQuotesAndTooManyFields) {
  EXPECT_EQ(read_all("a\n\"b,c\n"),
            (std::vector<Record>{{"a"}, {"error", "line 2: a quote is not closed"}}));
  EXPECT_EQ(read_all("\"b\"c,d\n"),
            (std::vector<Record>{{"error", "line 1: text follows a closing quote"}}));
  EXPECT_EQ(read_all(std::string(kMaxCsvFields, ',') + "\n"),
            (std::vector<Record>{{"error", "line 1: more than 256 fields"}}));
}

TEST(Csv, ColumnsAreFoundByAnyOfTheirNames) {
  EXPECT_EQ(find_column({"a", " b ", "c"}, {"x", "b"}), 1u);
  EXPECT_FALSE(find_column({"a"}, {"x"}));
}

}  // namespace
}  // namespace srvprof
