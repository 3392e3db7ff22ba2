// Field lists (json_fields.h) -> JSON. Pure ASCII: every other character is a \u escape, so that no
// terminal and no log viewer is fooled by what a target calls itself.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "analyze/report.h"
#include "base/escape.h"
#include "base/time.h"

namespace srvprof {

class JsonWriter {
 public:
  using Json = nlohmann::ordered_json;
  explicit JsonWriter(Json& out) : out_(out) { out_ = Json::object(); }

  template <class T>
  void field(std::string_view name, const T& value, const char*) {
    out_[std::string(name)] = to_json(value);
  }
  void constant(const char* name, const char* value, const char*) { out_[name] = value; }
  template <class F>
  void object(std::string_view name, const char*, F&& f) {
    Json nested;
    JsonWriter writer(nested);
    f(writer);
    out_[std::string(name)] = std::move(nested);
  }
  // Keys are made of the percentile; P is Percentile, whose describe() may not be known here.
  template <class P>
  void percentiles(const char* name, const std::vector<P>& all, const char*) {
    Json nested = Json::object();
    for (const P& p : all) nested[percentile_key(p.p)] = to_json(p);
    out_[name] = std::move(nested);
  }

 private:
  // 99.9 -> "p99_9_ns"
  static std::string percentile_key(double p) {
    const auto thousandths = std::llround(p * 1000);
    std::string fraction = std::to_string(1000 + thousandths % 1000).substr(1);
    while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
    return "p" + std::to_string(thousandths / 1000) + (fraction.empty() ? "" : "_" + fraction) +
           "_ns";
  }

  static Json to_json(const std::string& s) {
    // Bytes that are no UTF-8 become \xNN; text that is some stays as it is.
    const std::string escaped = escape_text(s);
    return escaped.find("\\x") == std::string::npos ? Json(s) : text_of(s, escaped);
  }
  static Json text_of(const std::string& raw, const std::string& escaped) {
    const Json candidate(raw);
    // dump() throws on ill-formed UTF-8; it is asked here, once, to tell.
    try {
      (void)candidate.dump();
      return candidate;
    } catch (const Json::exception&) {
      return Json(escaped);
    }
  }
  static Json to_json(Duration d) { return Json(to_ns(d)); }
  static Json to_json(Time t) { return Json(to_ns(t)); }
  static Json to_json(double x) { return std::isfinite(x) ? Json(x) : Json(nullptr); }
  template <class T>
  requires std::is_integral_v<T>
  static Json to_json(T x) { return Json(x); }
  template <class T>
  static Json to_json(const std::optional<T>& x) {
    return x ? to_json(*x) : Json(nullptr);
  }
  template <class T>
  static Json to_json(const std::vector<T>& all) {
    Json out = Json::array();
    for (const T& x : all) out.push_back(to_json(x));
    return out;
  }
  template <class T>
  requires(std::is_class_v<T>&& requires(JsonWriter& w, const T& t) { describe(w, t); }) static Json
      to_json(const T& x) {
    Json out;
    JsonWriter writer(out);
    describe(writer, x);
    return out;
  }

  Json& out_;
};

// The document of a struct that has a describe(), as text.
template <class T>
std::string json_text(const T& document) {
  JsonWriter::Json out;
  JsonWriter writer(out);
  describe(writer, document);
  return out.dump(1, ' ', true, JsonWriter::Json::error_handler_t::replace) + '\n';
}

}  // namespace srvprof
