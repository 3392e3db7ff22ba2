#include "loadgen/json.h"

#include <gtest/gtest.h>

#include <string>

namespace srvprof {
namespace {

TEST(Json, MissingMembersAreEmptyViews) {
  const auto document = JsonDocument::parse(R"({"a":{"b":3,"c":"x"},"n":null})");
  ASSERT_TRUE(document.ok());
  const JsonView root = document->root();
  EXPECT_EQ(root["a"]["b"].count(), 3u);
  EXPECT_EQ(root["a"]["c"].text(), "x");
  EXPECT_FALSE(root["a"]["c"].number());
  EXPECT_FALSE(root["x"]["y"]["z"]);
  EXPECT_FALSE(root["x"]["y"].number());
  EXPECT_TRUE(root["n"]);
  EXPECT_FALSE(root["n"].number());
}

TEST(Json, CountsAreWholeAndNotNegative) {
  const auto document = JsonDocument::parse(R"({"a":[-1,1.5,1e300,7.0,9007199254740993,"3"]})");
  ASSERT_TRUE(document.ok());
  std::vector<std::optional<std::uint64_t>> counts;
  document->root()["a"].each([&](std::string_view, JsonView v) { counts.push_back(v.count()); });
  EXPECT_EQ(counts, (std::vector<std::optional<std::uint64_t>>{
                        std::nullopt, std::nullopt, std::nullopt, 7u, std::nullopt, std::nullopt}));
}

TEST(Json, TextAroundTheObjectIsLeftOut) {
  const auto document =
      JsonDocument::parse_within("npm notice {\nhello\n  {\"a\":1,\n\"b\":\"}\"}\nbye");
  ASSERT_TRUE(document.ok());
  EXPECT_EQ(document->root()["b"].text(), "}");
}

std::string refusal(const Result<JsonDocument>& result) {
  return result.ok() ? "" : result.error().what;
}

TEST(Json, ErrorsNameTheLine) {
  EXPECT_EQ(refusal(JsonDocument::parse("{\"a\":1,\n\"b\":}")),
            "line 2: this is not well-formed JSON");
  EXPECT_EQ(refusal(JsonDocument::parse("{\"a\":1,\n\"b\":2")),
            "line 2: JSON ends before its closing brace: the output was cut");
  EXPECT_EQ(refusal(JsonDocument::parse("[1]")), "line 1: not a JSON object");
  EXPECT_EQ(refusal(JsonDocument::parse("\n\n")), "line 3: not a JSON object");
  EXPECT_EQ(refusal(JsonDocument::parse("{} {}", 7)), "line 7: this is not well-formed JSON");
  EXPECT_EQ(refusal(JsonDocument::parse("{\"a\":1e999}")),
            "line 1: this JSON has a value out of range");
  EXPECT_EQ(refusal(JsonDocument::parse_within("a\nb\n")), "line 2: there is no JSON object");
}

TEST(Json, DeepNestingIsRefused) {
  const std::string deep = "{\"a\":" + std::string(100'000, '[');
  EXPECT_EQ(refusal(JsonDocument::parse(deep)), "line 1: JSON is nested too deep");
}

}  // namespace
}  // namespace srvprof
