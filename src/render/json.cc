// The report as JSON. Pure ASCII: every other character is a \u escape, so that no terminal and no
// log viewer is fooled by what a target calls itself.
#include <nlohmann/json.hpp>

#include <cmath>
#include <type_traits>

#include "base/escape.h"
#include "render/all.h"
#include "render/json_fields.h"

namespace srvprof {
namespace {

using Json = nlohmann::ordered_json;

class Writer {
 public:
  explicit Writer(Json& out) : out_(out) { out_ = Json::object(); }

  template <class T>
  void field(std::string_view name, const T& value, const char*) {
    out_[std::string(name)] = to_json(value);
  }
  void constant(const char* name, const char* value, const char*) { out_[name] = value; }
  template <class F>
  void object(std::string_view name, const char*, F&& f) {
    Json nested;
    Writer writer(nested);
    f(writer);
    out_[std::string(name)] = std::move(nested);
  }
  void percentiles(const char* name, const std::vector<Percentile>& all, const char*) {
    Json nested = Json::object();
    for (const Percentile& p : all) nested[percentile_key(p.p)] = to_json(p);
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
  requires(std::is_class_v<T>&& requires(Writer& w, const T& t) { describe(w, t); }) static Json
      to_json(const T& x) {
    Json out;
    Writer writer(out);
    describe(writer, x);
    return out;
  }

  Json& out_;
};

}  // namespace

Status render_json(const Document& document, const RenderOptions&, const ByteSink& sink) {
  JsonReport report{document.report, {}};
  if (document.trace != nullptr) report.probes = document.trace->capabilities;
  Json out;
  Writer writer(out);
  describe(writer, report);
  return sink(out.dump(1, ' ', true, Json::error_handler_t::replace) + '\n');
}

}  // namespace srvprof
