#include "symbolize/jsc_heap.h"

#include <gtest/gtest.h>

#include <random>

#include "jsc_image.h"

namespace srvprof {
namespace {

// The layouts of Bun 1.4 and 1.2, and one that nobody has.
class JscHeapTest : public testing::TestWithParam<JscOffsets> {
 protected:
  std::string name(std::uint64_t hint) {
    const ScriptFunction* f = heap_.function(hint);
    return f == nullptr ? "(null)" : f->name + "|" + f->file;
  }
  JscImage image_{GetParam()};
  JscHeap heap_{image_.reader()};
};

INSTANTIATE_TEST_SUITE_P(Layouts, JscHeapTest,
                         testing::Values(JscOffsets{}, JscOffsets{88, 72, 56, 16, 32},
                                         JscOffsets{120, 96, 88, 64, 48}));

TEST_P(JscHeapTest, OffsetsAreFoundOnTheFunctionsThemselves) {
  const auto url = image_.string("file:///srv/app.js");
  const auto handle = image_.function_executable(image_.string("handle"), url);
  EXPECT_EQ(name(handle), "handle|/srv/app.js");
  EXPECT_EQ(name(image_.function_executable(image_.wide_string(u"\u00fcber"), url)),
            "\xc3\xbc" "ber|/srv/app.js");
  EXPECT_EQ(name(image_.native_executable(image_.string("stringify"))), "stringify|");
}

TEST_P(JscHeapTest, CalleesLeadToTheirExecutable) {
  const auto executable = image_.function_executable(image_.string("route"));
  EXPECT_EQ(name(image_.function(executable)), "route|");
  EXPECT_EQ(name(image_.function(executable, true)), "route|");
}

TEST_P(JscHeapTest, OnlyWhatHasNoNameIsAnonymous) {
  const auto none = image_.function_executable(0), empty = image_.function_executable(image_.string(""));
  EXPECT_EQ(name(none), "(null)");  // where a name would be is not known yet
  EXPECT_EQ(name(image_.function_executable(image_.string("first"))), "first|");
  EXPECT_EQ(name(none), "|");
  EXPECT_EQ(name(empty), "|");
}

TEST_P(JscHeapTest, MostFunctionsDecideWhereNamesAre) {
  const auto odd = image_.function_executable(image_.string("odd"));
  // Another string in the same cell.
  const auto unlinked = *read_value<std::uint64_t>(image_.reader(), odd + GetParam().unlinked);
  image_.put(unlinked + 40, image_.string("not the name"));
  for (int i = 0; i < 4; ++i) {
    const auto f = image_.function_executable(image_.string("f" + std::to_string(i)));
    EXPECT_EQ(name(f), "f" + std::to_string(i) + "|");
  }
  EXPECT_EQ(name(odd), "odd|");
}

TEST_P(JscHeapTest, VersionsWithTwoNames) {
  const auto two = [&](std::uint64_t own, std::uint64_t seen) {
    const auto f = image_.function_executable(own);
    const auto unlinked = *read_value<std::uint64_t>(image_.reader(), f + GetParam().unlinked);
    image_.put(unlinked + GetParam().name + 8, seen);
    return f;
  };
  for (const char* text : {"a", "b", "c"}) {
    EXPECT_EQ(name(two(image_.string(text), image_.string(text))), std::string(text) + "|");
  }
  EXPECT_EQ(name(two(image_.string(""), image_.string("method"))), "method|");
  EXPECT_EQ(name(two(0, 0)), "|");
}

TEST_P(JscHeapTest, NoFunctions) {
  EXPECT_EQ(name(0), "(null)");
  EXPECT_EQ(name(0x41), "(null)");
  EXPECT_EQ(name(0x7f00'0000'0000), "(null)");
  EXPECT_EQ(name(image_.cell(5)), "(null)");
  EXPECT_EQ(name(image_.function(image_.cell(9))), "(null)");  // a program
}

TEST_P(JscHeapTest, AnotherFunctionAtTheAddress) {
  const auto executable = image_.function_executable(image_.string("before"));
  const auto callee = image_.function(executable);
  EXPECT_EQ(name(callee), "before|");
  image_.put(callee + 24, image_.function_executable(image_.string("after")));
  EXPECT_EQ(heap_.last_function(callee)->name, "before");
  EXPECT_EQ(name(callee), "after|");
}

TEST_P(JscHeapTest, ImpossibleStringsAreNoNames) {
  const auto base = image_.function_executable(image_.string("good"));
  ASSERT_EQ(name(base), "good|");
  const auto huge = image_.string("x"), control = image_.string("a\x01z"), dangling = image_.string("y");
  image_.put<std::uint32_t>(huge + 4, 0xffffffff);
  image_.put<std::uint64_t>(dangling + 8, 0x7f00'0000'0000);
  for (const auto impl : {huge, control, dangling, std::uint64_t{0x7f00'0000'1000}}) {
    EXPECT_EQ(name(image_.function_executable(impl)), "(null)");
  }
}

TEST_P(JscHeapTest, DamagedHeapsEnd) {
  std::mt19937 random(11);
  std::size_t found = 0;
  for (int round = 0; round < 2000; ++round) {
    JscImage image(GetParam());
    JscHeap heap(image.reader());
    const auto url = image.string("/srv/app.js");
    std::vector<std::uint64_t> hints;
    for (const char* text : {"one", "two", "three"}) {
      hints.push_back(image.function_executable(image.string(text), url));
      hints.push_back(image.function(hints.back(), round % 2 == 0));
    }
    hints.push_back(image.native_executable(image.string("native")));
    for (int i = 0; i < 1 + round % 20; ++i) image.damage(random);
    for (const auto hint : hints) found += heap.function(hint) != nullptr;
    ASSERT_LT(image.reads(), 20'000u);
  }
  EXPECT_GT(found, 2000u);
  EXPECT_LT(found, 14'000u);
}

}  // namespace
}  // namespace srvprof
