#include "loadgen/json.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "loadgen/text.h"

namespace srvprof {
namespace {

using nlohmann::json;

const json& node_of(const void* node) { return *static_cast<const json*>(node); }

std::size_t line_of(std::string_view text, std::size_t at, std::size_t first_line) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(at, text.size()));
  return first_line + static_cast<std::size_t>(std::count(text.begin(), end, '\n'));
}

// Length of the object that `text` begins with: up to the brace that closes it. Also bounds how
// deep it is nested, whatever else is wrong with it.
Result<std::size_t> object_length(std::string_view text, std::size_t first_line) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxJsonDepth) {
        return line_error(line_of(text, i, first_line), "JSON is nested too deep");
      }
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return i + 1;
    }
  }
  return line_error(line_of(text, text.size(), first_line),
                    "JSON ends before its closing brace: the output was cut");
}

}  // namespace

bool JsonView::is_object() const { return node_ != nullptr && node_of(node_).is_object(); }

JsonView JsonView::operator[](std::string_view key) const {
  if (!is_object()) return {};
  const json& object = node_of(node_);
  const auto it = object.find(std::string(key));
  return it == object.end() ? JsonView{} : JsonView(&*it);
}

void JsonView::each(const std::function<void(std::string_view, JsonView)>& visit) const {
  if (node_ == nullptr) return;
  const json& node = node_of(node_);
  if (node.is_object()) {
    for (const auto& [key, value] : node.items()) visit(key, JsonView(&value));
  } else if (node.is_array()) {
    for (const json& value : node) visit({}, JsonView(&value));
  }
}

std::optional<double> JsonView::number() const {
  if (node_ == nullptr || !node_of(node_).is_number()) return std::nullopt;
  return node_of(node_).get<double>();
}

std::optional<std::string_view> JsonView::text() const {
  if (node_ == nullptr || !node_of(node_).is_string()) return std::nullopt;
  return std::string_view(node_of(node_).get_ref<const std::string&>());
}

std::optional<bool> JsonView::boolean() const {
  if (node_ == nullptr || !node_of(node_).is_boolean()) return std::nullopt;
  return node_of(node_).get<bool>();
}

std::optional<std::uint64_t> JsonView::count() const {
  const auto value = number();
  constexpr double kLimit = 9007199254740992.0;  // 2^53
  if (!value || !(*value >= 0) || *value >= kLimit || std::floor(*value) != *value) {
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(*value);
}

Result<JsonDocument> JsonDocument::parse(std::string_view text, std::size_t first_line) {
  if (text.size() > kMaxJsonBytes) return line_error(first_line, "the JSON text is too long");
  const auto begin = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  if (begin == text.size() || text[begin] != '{') {
    return line_error(line_of(text, begin, first_line), "not a JSON object");
  }
  TRY(object_length(text.substr(begin), line_of(text, begin, first_line)));
  try {
    auto node = std::make_shared<json>(json::parse(text));
    if (!node->is_object()) return line_error(first_line, "not a JSON object");
    JsonDocument document;
    document.node_ = std::move(node);
    return document;
  } catch (const json::parse_error& e) {
    return line_error(line_of(text, e.byte == 0 ? 0 : e.byte - 1, first_line),
                      "this is not well-formed JSON");
  } catch (const json::exception&) {  // a number out of range
    return line_error(first_line, "this JSON has a value out of range");
  }
}

Result<JsonDocument> JsonDocument::parse_within(std::string_view text) {
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const auto brace = line.find_first_not_of(" \t");
    if (brace == std::string_view::npos || line[brace] != '{') continue;
    const auto begin = static_cast<std::size_t>(line.data() - text.data()) + brace;
    const std::string_view rest = text.substr(begin);
    const std::size_t length = TRY(object_length(rest, lines.number()));
    return parse(rest.substr(0, length), lines.number());
  }
  return line_error(lines.number(), "there is no JSON object");
}

}  // namespace srvprof
