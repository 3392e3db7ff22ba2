#include "base/string_table.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace srvprof {
namespace {

TEST(StringTable, NumbersInOrderOfFirstUse) {
  StringTable t;
  EXPECT_EQ(t.intern("a").value, 1u);
  EXPECT_EQ(t.intern("b").value, 2u);
  EXPECT_EQ(t.intern("a").value, 1u);
  EXPECT_EQ(t.get(StringId{2}), "b");
  EXPECT_EQ(t.size(), 2u);
  EXPECT_EQ(t.text_bytes(), 2u);
}

TEST(StringTable, EmptyIsNone) {
  StringTable t;
  EXPECT_FALSE(t.intern(""));
  EXPECT_EQ(t.get({}), "");
  EXPECT_FALSE(t.find(""));
  EXPECT_FALSE(t.find("x"));
  EXPECT_EQ(t.size(), 0u);
}

TEST(StringTable, FindDoesNotAdd) {
  StringTable t;
  t.intern("x");
  EXPECT_FALSE(t.find("y"));
  EXPECT_EQ(t.find("x").value, 1u);
  EXPECT_EQ(t.size(), 1u);
}

TEST(StringTable, AgreesWithAMap) {
  std::mt19937_64 random(1);
  StringTable t;
  std::map<std::string, std::uint32_t> want;
  for (int i = 0; i < 50'000; ++i) {
    std::string s(random() % 5, '\0');
    for (char& c : s) c = static_cast<char>(random() % 16);
    const std::uint32_t id = t.intern(s).value;
    if (s.empty()) {
      ASSERT_EQ(id, 0u);
      continue;
    }
    const auto [it, added] = want.emplace(s, want.size() + 1);
    ASSERT_EQ(id, it->second);
    ASSERT_EQ(t.get({id}), s);
    ASSERT_EQ(t.find(s).value, id);
  }
  EXPECT_EQ(t.size(), want.size());
}

TEST(StringTable, ViewsStayWhileTheTableGrows) {
  StringTable t;
  const std::string_view first = t.get(t.intern("first"));
  const std::string big(1 << 20, 'x');
  t.intern(big);
  for (int i = 0; i < 100'000; ++i) t.intern(std::to_string(i));
  EXPECT_EQ(first, "first");
  EXPECT_EQ(first.data(), t.get(StringId{1}).data());
  EXPECT_EQ(t.get(StringId{2}), big);
}

TEST(StringTable, ClearForgetsAndGivesMemoryBack) {
  StringTable t;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 300'000; ++i) ASSERT_EQ(t.intern(std::to_string(i)).value, i + 1u);
    EXPECT_GT(t.memory_bytes(), 4u << 20);
    t.clear();
    EXPECT_EQ(t.size(), 0u);
    EXPECT_EQ(t.text_bytes(), 0u);
    EXPECT_FALSE(t.find("7"));
    EXPECT_LT(t.memory_bytes(), 1u << 20);
  }
}

}  // namespace
}  // namespace srvprof
