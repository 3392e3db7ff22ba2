#include "recording/text_value.h"

#include <cstddef>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/parse.h"

namespace srvprof {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t ns;
};
// Longer names first: "ms" ends in "s".
constexpr Unit kUnits[] = {{"ns", 1}, {"us", 1'000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};

// Takes a unit off the end of `s`; 0 if there is none.
std::uint64_t take_unit(std::string_view& s) {
  for (const Unit& u : kUnits) {
    if (s.ends_with(u.name)) {
      s.remove_suffix(u.name.size());
      return u.ns;
    }
  }
  return 0;
}

template <class T>
void append_number(std::string& out, T v) {
  const fmt::format_int digits(v);
  out.append(digits.data(), digits.size());
}

std::string not_a_number(std::string_view s) { return fmt::format("'{}' is not a number", s); }
std::string out_of_range(std::string_view s) { return fmt::format("'{}' is out of range", s); }

// All of `s` as an unsigned number, decimal or 0x...
std::string read_unsigned(std::string_view s, std::uint64_t& out) {
  const bool hex = s.starts_with("0x") || s.starts_with("0X");
  const std::string_view digits = hex ? s.substr(2) : s;
  const auto v = parse_number<std::uint64_t>(digits, hex ? 16 : 10);
  if (!v) {
    const bool only_digits =
        !digits.empty() && digits.find_first_not_of(hex ? "0123456789abcdefABCDEF"
                                                        : "0123456789") == std::string_view::npos;
    return only_digits ? out_of_range(s) : not_a_number(s);
  }
  out = *v;
  return "";
}

// "1.5ms" exactly: digits beyond a nanosecond are refused, not rounded.
std::string read_with_unit(std::string_view s, std::uint64_t& out) {
  std::string_view number = s;
  const std::uint64_t unit = take_unit(number);
  if (unit == 0) return read_unsigned(s, out);
  const auto point = number.find('.');
  std::uint64_t whole = 0;
  const auto w = parse_number<std::uint64_t>(number.substr(0, point));
  if (!w) return not_a_number(s);
  if (__builtin_mul_overflow(*w, unit, &whole)) return out_of_range(s);
  std::uint64_t part = 0, scale = unit;
  if (point != std::string_view::npos) {
    for (const char c : number.substr(point + 1)) {
      if (c < '0' || c > '9') return not_a_number(s);
      if (scale % 10 != 0) return fmt::format("'{}' is finer than a nanosecond", s);
      scale /= 10;
      part += static_cast<std::uint64_t>(c - '0') * scale;
    }
  }
  if (__builtin_add_overflow(whole, part, &out)) return out_of_range(s);
  return "";
}

std::string read_signed(std::string_view s, bool unit, std::int64_t& out) {
  const bool negative = s.starts_with('-');
  std::uint64_t v = 0;
  const std::string_view digits = negative ? s.substr(1) : s;
  if (auto why = unit ? read_with_unit(digits, v) : read_unsigned(digits, v); !why.empty()) {
    return why;
  }
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (v > kMax + (negative ? 1 : 0)) return out_of_range(s);
  out = static_cast<std::int64_t>(negative ? ~v + 1 : v);
  return "";
}

}  // namespace

void print_value(std::string& out, bool v) { out += v ? '1' : '0'; }
void print_value(std::string& out, std::uint32_t v) { append_number(out, v); }
void print_value(std::string& out, std::int32_t v) { append_number(out, v); }
void print_value(std::string& out, std::uint64_t v) { append_number(out, v); }
void print_value(std::string& out, Time v) { append_number(out, v.time_since_epoch().count()); }

void print_value(std::string& out, const std::string& v) {
  out += '"';
  for (const char c : escape_text(v)) {
    if (c == '"') out += '\\';
    out += c;
  }
  out += '"';
}

void print_value(std::string& out, const std::vector<std::uint64_t>& v) {
  for (std::size_t i = 0; i < v.size(); ++i) {
    fmt::format_to(std::back_inserter(out), "{}{:#x}", i == 0 ? "" : ",", v[i]);
  }
}

bool takes_time_unit(std::string_view name) { return name == "ns" || name.ends_with("_ns"); }

std::string read_value(std::string_view s, bool, bool& out) {
  if (s != "1" && s != "0" && s != "true" && s != "false") {
    return fmt::format("'{}' is not 0, 1, true or false", s);
  }
  out = s == "1" || s == "true";
  return "";
}

std::string read_value(std::string_view s, bool unit, std::uint64_t& out) {
  return unit ? read_with_unit(s, out) : read_unsigned(s, out);
}

std::string read_value(std::string_view s, bool unit, std::uint32_t& out) {
  std::uint64_t v = 0;
  if (auto why = read_value(s, unit, v); !why.empty()) return why;
  if (v > std::numeric_limits<std::uint32_t>::max()) return out_of_range(s);
  out = static_cast<std::uint32_t>(v);
  return "";
}

std::string read_value(std::string_view s, bool unit, std::int32_t& out) {
  std::int64_t v = 0;
  if (auto why = read_signed(s, unit, v); !why.empty()) return why;
  out = static_cast<std::int32_t>(v);
  return out == v ? "" : out_of_range(s);
}

std::string read_value(std::string_view s, bool, Time& out) {
  std::int64_t v = 0;
  if (auto why = read_signed(s, true, v); !why.empty()) return why;
  out = Time(Duration(v));
  return "";
}

std::string read_value(std::string_view s, bool, std::string& out) {
  out = s;
  return "";
}

std::string read_value(std::string_view s, bool, std::vector<std::uint64_t>& out) {
  out.clear();
  while (!s.empty()) {
    std::uint64_t v = 0;
    const auto comma = s.find(',');
    if (auto why = read_unsigned(s.substr(0, comma), v); !why.empty()) return why;
    out.push_back(v);
    if (comma == s.size() - 1) return "a list ends in a comma";
    s.remove_prefix(comma == std::string_view::npos ? s.size() : comma + 1);
  }
  return "";
}

}  // namespace srvprof
