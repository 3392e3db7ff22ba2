// Cutting text into lines, fields and numbers. Nothing here copies, allocates or fails on any
// input.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace srvprof {

// Takes the next line (without its '\n') off `rest`; false when nothing is left. A last line
// without
// '\n' counts as a line.
inline bool next_line(std::string_view& rest, std::string_view& line) {
  if (rest.empty()) return false;
  const auto end = rest.find('\n');
  line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return true;
}

// Takes the next field, delimited by blanks and tabs, off `rest`; empty when nothing is left.
inline std::string_view next_field(std::string_view& rest) {
  const auto begin = rest.find_first_not_of(" \t");
  if (begin == std::string_view::npos) {
    rest = {};
    return {};
  }
  rest.remove_prefix(begin);
  const auto end = rest.find_first_of(" \t");
  const std::string_view field = rest.substr(0, end);
  rest.remove_prefix(field.size());
  return field;
}

// Takes what stands before the next `separator` off `rest`, or all of it.
inline std::string_view next_until(std::string_view& rest, char separator) {
  const auto end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return part;
}

inline std::string_view trim(std::string_view s) {
  const auto begin = s.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r\n") - begin + 1);
}

// The number that all of `s` spells in `base` (no sign for unsigned types, no "0x"), or nothing:
// also when it does not fit T.
template <class T>
std::optional<T> parse_number(std::string_view s, int base = 10) {
  T value{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base);
  if (error != std::errc{} || end != s.data() + s.size() || s.empty()) return std::nullopt;
  return value;
}

}  // namespace srvprof
