// Numbers, times and lines of printed reports. Independent of the locale; fails on nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/parse.h"
#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof {

inline constexpr Duration kNanosecond{1};
inline constexpr Duration kMicrosecond{1'000};
inline constexpr Duration kMillisecond{1'000'000};
inline constexpr Duration kSecond{1'000'000'000};

// Lines with their numbers, from 1; a '\r' before the '\n' is cut.
class LineReader {
 public:
  explicit LineReader(std::string_view text, std::size_t first_line = 1)
      : rest_(text), number_(first_line - 1) {}

  bool next(std::string_view& line) {
    if (!next_line(rest_, line)) return false;
    ++number_;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return true;
  }
  std::size_t number() const { return number_; }

 private:
  std::string_view rest_;
  std::size_t number_;
};

// "line N: what".
Error line_error(std::size_t line, std::string_view what);
// `'abc'`, escaped and cut to 40 bytes, for errors and notes.
std::string quoted(std::string_view s);
// "line N: COLUMN is not WHAT: 'abc'".
Error field_error(std::size_t line, std::string_view column, std::string_view what,
                  std::string_view value);

// "12.50" of `unit`, exact: 12.5 units, resolution = what the last digit stands for (at least 1
// ns). Nothing for signs, blanks, "nan", or more than kMaxDuration. Exponents ("1e-05") are taken
// too.
std::optional<Figure> parse_decimal(std::string_view s, Duration unit);
// 36,000 days: any longer time is nonsense; sums of ten million of them are not taken.
inline constexpr Duration kMaxDuration{std::int64_t{3'110'400'000} * 1'000'000'000};

// "1.24ms", "399.00us", "148.651µs", "1m2.5s", "3s", "0s": one or more numbers with units.
std::optional<Figure> parse_printed_duration(std::string_view s);

// A JSON number of `unit`: nothing for negative, non-finite or larger than kMaxDuration.
std::optional<Duration> duration_of(double value, Duration unit);

// Digits only.
std::optional<std::uint64_t> parse_count(std::string_view s);

// "2026-11-30T11:36:50.298683714Z" or with "+02:00": since the Unix epoch; years 1970..2068.
std::optional<Duration> parse_rfc3339(std::string_view s);

// Without terminal colours (ESC [ ... letter); lone '\r' (progress lines) become '\n'.
std::string strip_terminal(std::string_view text);

// "http://user:secret@host:80/a?token=1#x": without credentials, query and fragment, at most
// kMaxPathBytes; and the path of it alone ("/" if there is none). A path may be passed too.
std::string clean_url(std::string_view url);
std::string_view path_of_url(std::string_view url);

// Does a line of `head` begin with `start`, blanks before it aside?
bool has_line(std::string_view head, std::string_view start);
inline bool contains(std::string_view head, std::string_view part) {
  return head.find(part) != std::string_view::npos;
}

}  // namespace srvprof
