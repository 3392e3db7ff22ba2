#include "loadgen/text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "base/escape.h"
#include "loadgen/loadgen.h"

namespace srvprof {
namespace {

constexpr std::size_t kQuotedBytes = 40;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<Figure> parse_float(std::string_view s, Duration unit) {
  double value = 0;
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value);
  if (error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  const auto duration = duration_of(value, unit);
  if (!duration) return std::nullopt;
  return Figure{*duration, kNanosecond};
}

// Takes digits off `s`; nothing if there is none or the value does not fit.
std::optional<std::int64_t> take_digits(std::string_view& s) {
  std::int64_t value = 0;
  std::size_t n = 0;
  while (n < s.size() && is_digit(s[n])) {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
        __builtin_add_overflow(value, std::int64_t{s[n] - '0'}, &value)) {
      return std::nullopt;
    }
    ++n;
  }
  if (n == 0) return std::nullopt;
  s.remove_prefix(n);
  return value;
}

struct Unit {
  std::string_view name;
  Duration size;
};

// "ms" before "m": the first that fits is taken. Both of Unicode's micro signs are in use.
constexpr std::array<Unit, 8> kUnits = {{{"ns", kNanosecond},
                                         {"us", kMicrosecond},
                                         {"\xc2\xb5s", kMicrosecond},
                                         {"\xce\xbcs", kMicrosecond},
                                         {"ms", kMillisecond},
                                         {"s", kSecond},
                                         {"m", 60 * kSecond},
                                         {"h", 3600 * kSecond}}};

std::optional<std::int64_t> take_number(std::string_view& s, std::size_t digits) {
  if (s.size() < digits) return std::nullopt;
  const auto value = parse_count(s.substr(0, digits));
  if (!value) return std::nullopt;
  s.remove_prefix(digits);
  return static_cast<std::int64_t>(*value);
}

bool take_char(std::string_view& s, std::string_view any_of) {
  if (s.empty() || any_of.find(s.front()) == std::string_view::npos) return false;
  s.remove_prefix(1);
  return true;
}

// "Z", "+02:00" or "-07:30"; nothing else may follow.
std::optional<Duration> parse_zone(std::string_view s) {
  if (s == "Z" || s == "z") return Duration{0};
  const bool west = !s.empty() && s.front() == '-';
  if (!take_char(s, "+-")) return std::nullopt;
  const auto hours = take_number(s, 2);
  if (!hours || *hours > 23 || !take_char(s, ":")) return std::nullopt;
  const auto minutes = take_number(s, 2);
  if (!minutes || *minutes > 59 || !s.empty()) return std::nullopt;
  const Duration offset = (*hours * 60 + *minutes) * 60 * kSecond;
  return west ? -offset : offset;
}

}  // namespace

Error line_error(std::size_t line, std::string_view what) {
  return Error{.what = fmt::format("line {}: {}", line, what), .hint = {}};
}

std::string quoted(std::string_view s) {
  const bool cut = s.size() > kQuotedBytes;
  return fmt::format("'{}{}'", escape_text(s.substr(0, kQuotedBytes)), cut ? "..." : "");
}

Error field_error(std::size_t line, std::string_view column, std::string_view what,
                  std::string_view value) {
  return line_error(line, fmt::format("{} is not {}: {}", column, what, quoted(value)));
}

std::optional<Figure> parse_decimal(std::string_view s, Duration unit) {
  const std::string_view whole = s;
  const auto digits = take_digits(s);
  if (!digits) return std::nullopt;
  std::int64_t value = 0;
  if (__builtin_mul_overflow(*digits, unit.count(), &value)) return std::nullopt;
  std::int64_t step = unit.count();
  if (!s.empty() && s.front() == '.') {
    s.remove_prefix(1);
    while (!s.empty() && is_digit(s.front())) {
      const bool finer = step % 10 == 0;  // below a nanosecond nothing is kept
      if (finer) step /= 10;
      if (finer && __builtin_add_overflow(value, (s.front() - '0') * step, &value)) {
        return std::nullopt;
      }
      s.remove_prefix(1);
    }
  }
  if (!s.empty() && (s.front() == 'e' || s.front() == 'E')) return parse_float(whole, unit);
  if (!s.empty() || value > kMaxDuration.count()) return std::nullopt;
  return Figure{Duration(value), Duration(step)};
}

std::optional<Figure> parse_printed_duration(std::string_view s) {
  Figure sum;
  if (s.empty()) return std::nullopt;
  while (!s.empty()) {
    const auto end = s.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) return std::nullopt;
    const std::string_view number = s.substr(0, end);
    s.remove_prefix(end);
    const Unit* unit = nullptr;
    for (const Unit& u : kUnits) {
      if (s.substr(0, u.name.size()) == u.name) {
        unit = &u;
        break;
      }
    }
    if (unit == nullptr) return std::nullopt;
    s.remove_prefix(unit->name.size());
    const auto part = parse_decimal(number, unit->size);
    if (!part) return std::nullopt;
    sum.value += part->value;
    sum.resolution = part->resolution;
    if (sum.value > kMaxDuration) return std::nullopt;
  }
  return sum;
}

std::optional<Duration> duration_of(double value, Duration unit) {
  const double ns = value * static_cast<double>(unit.count());
  if (!std::isfinite(ns) || ns < 0 || ns > static_cast<double>(kMaxDuration.count())) {
    return std::nullopt;
  }
  return Duration(std::llround(ns));
}

std::optional<std::uint64_t> parse_count(std::string_view s) {
  return parse_number<std::uint64_t>(s);
}

std::optional<Duration> parse_rfc3339(std::string_view s) {
  const auto year = take_number(s, 4);
  if (!year || *year < 1970 || *year > 2068 || !take_char(s, "-")) return std::nullopt;
  const auto month = take_number(s, 2);
  if (!month || !take_char(s, "-")) return std::nullopt;
  const auto day = take_number(s, 2);
  if (!day || !take_char(s, "Tt ")) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto hour = take_number(s, 2);
  if (!hour || *hour > 23 || !take_char(s, ":")) return std::nullopt;
  const auto minute = take_number(s, 2);
  if (!minute || *minute > 59 || !take_char(s, ":")) return std::nullopt;
  const auto seconds_end = s.find_first_not_of("0123456789.");
  const auto seconds = parse_decimal(s.substr(0, seconds_end), kSecond);
  if (!seconds || seconds->value > 60 * kSecond || seconds_end == std::string_view::npos) {
    return std::nullopt;
  }
  const auto zone = parse_zone(s.substr(seconds_end));
  if (!zone) return std::nullopt;
  const Duration days = std::chrono::sys_days(date).time_since_epoch();
  const Duration at = days + (*hour * 60 + *minute) * 60 * kSecond + seconds->value - *zone;
  if (at < Duration{0}) return std::nullopt;
  return at;
}

std::string strip_terminal(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\x1b' && i + 1 < text.size() && text[i + 1] == '[') {
      i += 2;
      while (i < text.size() && !(text[i] >= '@' && text[i] <= '~')) ++i;
    } else if (c == '\r' && i + 1 < text.size() && text[i + 1] != '\n') {
      out += '\n';
    } else if (c != '\x1b') {
      out += c;
    }
  }
  return out;
}

std::string clean_url(std::string_view url) {
  url = url.substr(0, url.find_first_of("?# \t\r\n"));
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url.substr(0, kMaxPathBytes));
  const auto path = url.find('/', scheme + 3);
  const auto at = url.substr(0, path).rfind('@');
  std::string out(url.substr(0, scheme + 3));
  out += url.substr(at == std::string_view::npos ? scheme + 3 : at + 1);
  if (out.size() > kMaxPathBytes) out.resize(kMaxPathBytes);
  return out;
}

std::string_view path_of_url(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme != std::string_view::npos) {
    const auto path = url.find_first_of("/?#", scheme + 3);
    url = path == std::string_view::npos ? std::string_view{"/"} : url.substr(path);
    if (url.front() != '/') url = "/";
  }
  return url.substr(0, std::min(url.find_first_of("?#"), kMaxPathBytes));
}

bool has_line(std::string_view head, std::string_view start) {
  std::string_view line;
  while (next_line(head, line)) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin != std::string_view::npos && line.substr(begin, start.size()) == start) return true;
  }
  return false;
}

}  // namespace srvprof
