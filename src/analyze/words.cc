#include "analyze/words.h"

#include <fmt/format.h>

#include <cmath>

namespace srvprof {

std::string ms_words(Duration d) {
  const double ms = to_ms(d);
  const double size = std::abs(ms);
  if (size >= 999.95) return fmt::format("{:.2f} s", ms / 1e3);
  if (size >= 0.995) return fmt::format("{:.1f} ms", ms);
  if (size >= 0.1) return fmt::format("{:.2f} ms", ms);
  if (size < 0.0005) return "0 ms";
  return fmt::format("{:.0f} us", ms * 1e3);
}

std::string interval_words(Duration value, Duration low, Duration high) {
  std::string words[] = {ms_words(value), ms_words(low), ms_words(high)};
  const auto in_ms = [](const std::string& w) { return w.size() > 3 && w.ends_with(" ms"); };
  if (in_ms(words[0]) && in_ms(words[1]) && in_ms(words[2])) {
    for (std::string* w : {&words[1], &words[2]}) w->resize(w->size() - 3);
  }
  return fmt::format("{} [{} .. {}]", words[0], words[1], words[2]);
}

std::string percent_words(double share) {
  const double p = share * 100;
  return std::abs(p) >= 9.95 || p == 0 ? fmt::format("{:.0f} %", p) : fmt::format("{:.1f} %", p);
}

std::string count_words(std::uint64_t n) {
  const std::string digits = std::to_string(n);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string clock_words(Duration since_start) {
  const auto seconds = since_start.count() < 0 ? 0 : since_start.count() / 1'000'000'000;
  const auto minutes = seconds / 60;
  if (minutes < 60) return fmt::format("{:02}:{:02}", minutes, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, seconds % 60);
}

std::string bytes_words(std::uint64_t bytes) {
  const double b = static_cast<double>(bytes);
  if (b >= 1024.0 * 1024) return fmt::format("{:.1f} MiB", b / 1024 / 1024);
  if (b >= 1024) return fmt::format("{:.1f} KiB", b / 1024);
  return fmt::format("{} bytes", bytes);
}

std::string plural_words(std::uint64_t n, const std::string& one) {
  return fmt::format("{} {}{}", count_words(n), one, n == 1 ? "" : "s");
}

}  // namespace srvprof
