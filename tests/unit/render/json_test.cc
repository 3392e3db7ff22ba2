#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "render/all.h"
#include "sample.h"

namespace srvprof {
namespace {

using nlohmann::json;

json json_of(const Report& report) {
  return json::parse(render_to_string(*find_format("json"), Document{nullptr, &report, {}}));
}

bool type_fits(const json& type, const json& value) {
  if (type.is_array()) {
    return std::any_of(type.begin(), type.end(),
                       [&](const json& t) { return type_fits(t, value); });
  }
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  return type == "null" && value.is_null();
}

// The part of JSON schema that ours uses. Returns the first breach, or "".
std::string breach(const json& schema, const json& value, const std::string& path) {
  if (schema.contains("const")) return schema["const"] == value ? "" : path + ": not the constant";
  if (!type_fits(schema.at("type"), value)) return path + ": wrong type " + value.dump();
  if (value.is_array()) {
    for (const json& item : value) {
      if (std::string b = breach(schema.at("items"), item, path + "[]"); !b.empty()) return b;
    }
  }
  if (!value.is_object()) return "";
  const json properties = schema.value("properties", json::object());
  for (const json& name : schema.value("required", json::array())) {
    if (!value.contains(name.get<std::string>())) return path + ": lacks " + name.dump();
  }
  for (const auto& [name, member] : value.items()) {
    const json& rest = schema.at("additionalProperties");
    if (!properties.contains(name) && rest == false) return path + ": has " + name;
    const std::string b =
        breach(properties.contains(name) ? properties.at(name) : rest, member, path + "." + name);
    if (!b.empty()) return b;
  }
  return "";
}

TEST(Json, FitsItsSchema) {
  const json schema = json::parse(json_schema());
  EXPECT_EQ(breach(schema, json_of(sample::report()), "$"), "");
  EXPECT_EQ(breach(schema, json_of(Report{}), "$"), "");
}

TEST(Json, TheSchemaIsNotMetByAnything) {
  const json schema = json::parse(json_schema());
  json report = json_of(sample::report());
  report["groups"][0]["gap_ns"] = "35700000";
  EXPECT_EQ(breach(schema, report, "$"), "$.groups[].gap_ns: wrong type \"35700000\"");
  report = json_of(sample::report());
  report["header"].erase("losses");
  EXPECT_EQ(breach(schema, report, "$"), "$.header: lacks \"losses\"");
  report = json_of(sample::report());
  report["exemplars"][0]["extra"] = 1;
  EXPECT_EQ(breach(schema, report, "$"), "$.exemplars[]: has extra");
}

TEST(Json, HasTheNumbersOfTheReport) {
  const json report = json_of(sample::report());
  EXPECT_EQ(report["schema"], "srvprof.report/1");
  EXPECT_EQ(report["header"]["target"]["pid"], 4242);
  EXPECT_EQ(report["header"]["requests"], 123870);
  EXPECT_EQ(report["header"]["duration_ns"], 30'000'000'000);
  EXPECT_EQ(report["header"]["own_cost"]["bpf_ns_per_request"], 1400);
  EXPECT_EQ(report["header"]["governor"]["engaged"], false);
  EXPECT_EQ(report["verdict"]["group"], 0);
  const json& group = report["groups"][0];
  EXPECT_EQ(group["percentiles"]["p99_ns"]["value_ns"], 41'300'000);
  EXPECT_EQ(group["percentiles"]["p99_9_ns"]["enough"], false);
  EXPECT_EQ(group["tail"]["service"]["runq_wake_ns"], 31'600'000);
  EXPECT_EQ(group["body"]["ready"]["behind_ns"], 600'000);
  EXPECT_EQ(group["tail_unnamed_ns"], 700'000);
  EXPECT_EQ(group["findings"][0]["cause"], "runq-own-threads");
  EXPECT_EQ(group["findings"][0]["culprits"][0]["pid"], 4310);
  EXPECT_EQ(report["coverage"][0]["level"], "not_measured");
  EXPECT_TRUE(json_of(Report{})["verdict"]["group"].is_null());
}

TEST(Json, HostileTextIsAsciiAndSurvives) {
  const Report report = sample::report();
  const std::string text = render_to_string(*find_format("json"), Document{nullptr, &report, {}});
  for (char c : text) EXPECT_TRUE(c == '\n' || (c >= 0x20 && c < 0x7f));
  // Text that is UTF-8 comes back as it was; other bytes are shown as \xNN.
  Report other = sample::report();
  const std::string utf8 = "\x1b[31m\xe2\x80\xae<\"\\x41";
  other.header.comm = utf8;
  EXPECT_EQ(json_of(other)["header"]["target"]["comm"], utf8);
  other.header.comm = "a\xff";
  EXPECT_EQ(json_of(other)["header"]["target"]["comm"], "a\\xff");
}

TEST(Json, NamesCarryTheirUnit) {
  const std::string schema = json_schema();
  for (const char* bare : {"\"latency\"", "\"duration\"", "\"gap\"", "\"max\"", "\"offset\""}) {
    EXPECT_EQ(schema.find(bare), std::string::npos) << bare;
  }
}

}  // namespace
}  // namespace srvprof
