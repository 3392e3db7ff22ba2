#include "protocol/route.h"

#include <algorithm>

namespace srvprof {
namespace {

constexpr std::string_view kId = ":id";
constexpr std::size_t kHexMin = 16;  // below that, "deadbeef" may be a word
constexpr std::size_t kMixedMin =
    8;  // letters and digits: "v1", "oauth2" stay, "a1b2c3d4" does not
constexpr std::size_t kTokenMin = 20;  // base64-like
constexpr std::size_t kMethodsMax = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// What a piece of a path is made of.
struct Shape {
  std::size_t digits = 0, upper = 0, lower = 0, hex = 0, separators = 0, others = 0;
};

Shape shape_of(std::string_view s) {
  Shape shape;
  for (const char c : s) {
    shape.digits += is_digit(c);
    shape.upper += is_upper(c);
    shape.lower += is_lower(c);
    shape.hex += is_hex(c);
    const bool separator = c == '-' || c == '_' || c == ',' || c == ':' || c == '=' || c == '+';
    shape.separators += separator;
    shape.others += !separator && !is_digit(c) && !is_upper(c) && !is_lower(c);
  }
  return shape;
}

bool is_uuid(std::string_view s) {
  if (s.size() != 36) return false;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? s[i] != '-' : !is_hex(s[i])) return false;
  }
  return true;
}

bool is_id(std::string_view s) {
  const Shape shape = shape_of(s);
  if (shape.others != 0) return false;
  const std::size_t letters = shape.upper + shape.lower;
  if (shape.digits != 0 && letters == 0) return true;  // 42, 2024-01-02
  if (is_uuid(s)) return true;
  if (shape.separators == 0) {
    if (shape.hex == s.size() && s.size() >= kHexMin) return true;
    return shape.digits != 0 && s.size() >= kMixedMin;
  }
  // A slug ("how-to-sort-10-things") is lower case; a token mixes the cases.
  return s.size() >= kTokenMin && shape.digits != 0 && shape.upper != 0 && shape.lower != 0;
}

// "product-12345" -> "product-:id"; anything else as it is.
void append_piece(std::string& out, std::string_view s) {
  if (is_id(s)) {
    out += kId;
    return;
  }
  const auto last = s.find_last_not_of("0123456789");
  const bool number_at_end = last != std::string_view::npos && last + 1 < s.size() && last > 0 &&
                             (s[last] == '-' || s[last] == '_');
  out += number_at_end ? s.substr(0, last + 1) : s;
  if (number_at_end) out += kId;
}

// "1.0" and "v2.1.3" are versions; "10.0.0.1" is an address.
bool is_version(std::string_view s) {
  if (!s.empty() && s.front() == 'v') s.remove_prefix(1);
  return s.find_first_not_of("0123456789.") == std::string_view::npos &&
         std::count(s.begin(), s.end(), '.') < 3;
}

void append_segment(std::string& out, std::string_view s) {
  s = s.substr(0, s.find(';'));
  if (s.find('@') != std::string_view::npos || s.find("%40") != std::string_view::npos) {
    out += kId;  // an e-mail address or a handle
    return;
  }
  if (s.find('.') == std::string_view::npos || is_version(s)) {
    if (s.find('.') == std::string_view::npos) return append_piece(out, s);
    out += s;
    return;
  }
  const std::size_t begin = out.size();
  while (true) {
    const auto dot = s.find('.');
    append_piece(out, s.substr(0, dot));
    if (dot == std::string_view::npos) break;
    out += '.';
    s.remove_prefix(dot + 1);
  }
  // Signed tokens and addresses: ":id.:id.:id" is one id.
  const std::string_view folded = std::string_view(out).substr(begin);
  if (folded.find_first_not_of(":id.") == std::string_view::npos && folded.starts_with(":id.")) {
    out.replace(begin, std::string::npos, kId);
  }
}

}  // namespace

std::string fold_path(std::string_view path, bool path_cut) {
  std::string out;
  out.reserve(path.size() + 8);
  while (true) {
    const auto slash = path.find('/');
    const bool last = slash == std::string_view::npos;
    if (last && path_cut) {
      out += "...";
    } else {
      append_segment(out, path.substr(0, slash));
    }
    if (last) return out;
    out += '/';
    path.remove_prefix(slash + 1);
  }
}

std::string_view RouteTable::known_method(std::string_view method) {
  for (const std::string& known : methods_) {
    if (known == method) return known;
  }
  if (methods_.size() >= kMethodsMax) return {};
  return methods_.emplace_back(method);
}

std::uint32_t RouteTable::add(std::string name) {
  const auto next = static_cast<std::uint32_t>(names_.size());
  const auto [it, added] = index_.try_emplace(std::move(name), next);
  if (added) names_.push_back(it->first);
  return it->second;
}

std::uint32_t RouteTable::intern(std::string_view method, std::string_view path, bool path_cut) {
  const std::string_view known = known_method(method);
  std::string name(known);
  if (!known.empty()) name += ' ';
  const std::size_t prefix = name.size();
  if (!known.empty() || method.empty()) {
    name += fold_path(path, path_cut);
    if (const auto it = index_.find(name); it != index_.end()) return it->second;
    if (distinct_ < limit_) {
      ++distinct_;
      return add(std::move(name));
    }
  }
  ++folded_;
  name.resize(prefix);
  name += "(other)";
  return add(std::move(name));
}

}  // namespace srvprof
