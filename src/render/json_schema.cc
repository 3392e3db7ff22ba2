// The schema of the JSON report, made from the same field lists as the report.
#include <nlohmann/json.hpp>

#include <type_traits>

#include "render/all.h"
#include "render/json_fields.h"

namespace srvprof {
namespace {

using Json = nlohmann::ordered_json;

class Schema {
 public:
  explicit Schema(Json& out) : out_(out) {
    out_ = Json{{"type", "object"},
                {"properties", Json::object()},
                {"required", Json::array()},
                {"additionalProperties", false}};
  }

  template <class T>
  void field(std::string_view name, const T&, const char* doc) {
    add(name, type_of<T>(), doc);
  }
  void constant(const char* name, const char* value, const char* doc) {
    add(name, Json{{"const", value}}, doc);
  }
  template <class F>
  void object(std::string_view name, const char* doc, F&& f) {
    Json nested;
    Schema schema(nested);
    f(schema);
    add(name, std::move(nested), doc);
  }
  void percentiles(const char* name, const std::vector<Percentile>&, const char* doc) {
    add(name, Json{{"type", "object"}, {"additionalProperties", type_of<Percentile>()}}, doc);
  }

 private:
  void add(std::string_view name, Json type, const char* doc) {
    if (*doc != '\0') type["description"] = doc;
    out_["properties"][std::string(name)] = std::move(type);
    out_["required"].push_back(std::string(name));
  }

  template <class T>
  struct Optional : std::false_type {};
  template <class T>
  struct Optional<std::optional<T>> : std::true_type {
    using Of = T;
  };
  template <class T>
  struct Vector : std::false_type {};
  template <class T>
  struct Vector<std::vector<T>> : std::true_type {
    using Of = T;
  };

  template <class T>
  static Json type_of() {
    if constexpr (std::is_same_v<T, bool>) {
      return Json{{"type", "boolean"}};
    } else if constexpr (std::is_same_v<T, std::string>) {
      return Json{{"type", "string"}};
    } else if constexpr (std::is_same_v<T, Duration> || std::is_same_v<T, Time> ||
                         std::is_integral_v<T>) {
      return Json{{"type", "integer"}};
    } else if constexpr (std::is_floating_point_v<T>) {
      return Json{{"type", Json::array({"number", "null"})}};
    } else if constexpr (Optional<T>::value) {
      Json type = type_of<typename Optional<T>::Of>();
      type["type"] = Json::array({type["type"], "null"});
      return type;
    } else if constexpr (Vector<T>::value) {
      return Json{{"type", "array"}, {"items", type_of<typename Vector<T>::Of>()}};
    } else {
      Json out;
      Schema schema(out);
      describe(schema, T{});
      return out;
    }
  }

  Json& out_;
};

}  // namespace

std::string json_schema() {
  const Report empty;
  Json out;
  Schema schema(out);
  describe(schema, JsonReport{&empty, {}});
  Json document{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"$id", std::string("urn:") + kJsonVersion},
                {"title", kJsonVersion},
                {"description",
                 "What srvprof says about a recording. Names end in their unit; a "
                 "share is 0..1; absolute times are of header.clock."}};
  document.update(out);
  return document.dump(2) + '\n';
}

}  // namespace srvprof
