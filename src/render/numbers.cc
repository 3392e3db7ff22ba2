#include "render/numbers.h"

#include <fmt/format.h>

#include <cmath>

namespace srvprof {
namespace {

// Enough digits to compare, none to admire: three significant ones below 100.
std::string short_number(double x) {
  const double a = std::fabs(x);
  if (a == 0) return "0";
  if (a < 0.0005) return "~0";
  if (a < 0.0995) return fmt::format("{:.3f}", x);
  if (a < 0.995) return fmt::format("{:.2f}", x);
  if (a < 99.95) return fmt::format("{:.1f}", x);
  return (x < 0 ? "-" : "") + count_text(static_cast<std::uint64_t>(std::llround(a)));
}

}  // namespace

std::string count_text(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t i = digits.size(); i > 3;) {
    i -= 3;
    digits.insert(i, 1, ',');
  }
  return digits;
}

std::string ms_text(Duration d) { return short_number(to_ms(d)); }

std::string duration_text(Duration d) {
  const double ns = static_cast<double>(to_ns(d));
  const double a = std::fabs(ns);
  if (a < 1e3) return fmt::format("{:.0f} ns", ns);
  if (a < 1e6) return short_number(ns / 1e3) + " us";
  if (a < 10e9) return short_number(ns / 1e6) + " ms";
  return short_number(ns / 1e9) + " s";
}

std::string percent_text(double share) {
  const double percent = share * 100;
  if (percent == 0) return "0 %";
  if (std::fabs(percent) < 9.95) return fmt::format("{:.1f} %", percent);
  return fmt::format("{:.0f} %", percent);
}

std::string bytes_text(std::uint64_t n) {
  if (n < 1024) return fmt::format("{} B", n);
  double value = static_cast<double>(n) / 1024;
  for (const char* unit : {"KiB", "MiB"}) {
    if (value < 1023.95) return fmt::format("{:.1f} {}", value, unit);
    value /= 1024;
  }
  return fmt::format("{:.1f} GiB", value);
}

std::string clock_text(Duration since) {
  const std::int64_t s = std::max<std::int64_t>(to_ns(since), 0) / 1'000'000'000;
  if (s < 3600) return fmt::format("{:02}:{:02}", s / 60, s % 60);
  return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

std::string decimal_text(double value) { return fmt::format("{:.2f}", value); }

}  // namespace srvprof
