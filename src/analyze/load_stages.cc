#include "analyze/load_stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "analyze/load_align.h"
#include "base/escape.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostMarks = 1000;
constexpr double kMostSeconds = 1e6;

struct Stage {
  Duration length{};
  std::uint64_t target = 0;
};

std::optional<double> decimal(std::string_view s) {
  double value = 0;
  const auto [end, error] =
      std::from_chars(s.data(), s.data() + s.size(), value, std::chars_format::fixed);
  if (s.empty() || error != std::errc{} || end != s.data() + s.size()) return std::nullopt;
  return value;
}

// "12", "1.5s", "500ms", "2m", "1m30s"; nothing else.
std::optional<Duration> time_of(std::string_view s) {
  double seconds = 0;
  if (s.empty()) return std::nullopt;
  while (!s.empty()) {
    const std::size_t digits = std::min(s.find_first_not_of("0123456789."), s.size());
    const auto value = decimal(s.substr(0, digits));
    s.remove_prefix(digits);
    const std::size_t letters = std::min(s.find_first_of("0123456789."), s.size());
    const std::string_view unit = s.substr(0, letters);
    s.remove_prefix(letters);
    const double scale = unit.empty() || unit == "s" ? 1
                         : unit == "ms"              ? 1e-3
                         : unit == "m"               ? 60
                         : unit == "h"               ? 3600
                                                     : 0;
    if (!value || scale == 0) return std::nullopt;
    seconds += *value * scale;
  }
  if (seconds > kMostSeconds) return std::nullopt;
  return Duration(std::llround(seconds * 1e9));
}

std::string_view take_word(std::string_view& line) {
  const std::size_t begin = std::min(line.find_first_not_of(" \t\r"), line.size());
  line.remove_prefix(begin);
  const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end);
  return word;
}

// When the load began: its command's start, else the first request.
Time load_start(const Trace& trace) {
  if (!trace.loads.empty() && known(trace.loads.front().t_start))
    return trace.loads.front().t_start;
  return trace.requests.empty() ? trace.t_begin : trace.requests.front().t_arrive;
}

// Each stage goes from the target before it to its own; what follows the last one is its end.
void add_stages(const std::vector<Stage>& stages, Time t, const char* source,
                std::vector<rows::PhaseMark>& out) {
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < stages.size(); ++i) {
    const Stage& s = stages[i];
    const char* what = s.target == before ? "steady" : s.target > before ? "ramp" : "drain";
    out.push_back({t, fmt::format("{}-{}", what, s.target), source});
    t += s.length;
    before = s.target;
  }
  if (!stages.empty() && before == 0) out.push_back({t, "after", source});
}

Error bad_line(const std::string& name, std::size_t line, std::string_view what) {
  return Error{fmt::format("reading {}: line {}: {}", escape_text(name), line, what),
               "a begin and a name a line: '12.5s steady'"};
}

Result<Time> begin_of(const Trace& trace, std::string_view word, const std::string& name,
                      std::size_t line) {
  if (word.starts_with('@')) {
    const auto seconds = decimal(word.substr(1));
    if (!seconds || *seconds < 0 || *seconds > 4e9) {
      return bad_line(name, line, "not seconds since the Unix epoch");
    }
    const auto t = at_wall_clock(trace, Duration(std::llround(*seconds * 1e9)));
    if (!t) return bad_line(name, line, "the recording has no wall clock");
    return *t;
  }
  const auto since = time_of(word);
  if (!since) return bad_line(name, line, "not a time");
  return trace.t_begin + *since;
}

}  // namespace

Result<std::vector<rows::PhaseMark>> parse_phases(const Trace& trace, std::string_view text,
                                                  const std::string& name) {
  std::vector<rows::PhaseMark> out;
  std::vector<Stage> stages;
  std::size_t number = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    line = line.substr(0, line.find('#'));
    const std::string_view first = take_word(line);
    if (first.empty()) continue;
    if (out.size() + stages.size() >= kMostMarks) return bad_line(name, number, "too many phases");
    const std::string_view second = take_word(line);
    if (first == "stage") {
      const auto length = time_of(second);
      const auto target = decimal(take_word(line));
      if (!length || !target) return bad_line(name, number, "a stage is a duration and a target");
      stages.push_back({*length, static_cast<std::uint64_t>(std::max(*target, 0.0))});
      continue;
    }
    if (second.empty()) return bad_line(name, number, "the phase has no name");
    out.push_back({TRY(begin_of(trace, first, name, number)), std::string(second), "file"});
  }
  add_stages(stages, load_start(trace), "file", out);
  if (out.empty()) {
    return Error{fmt::format("reading {}: it names no phase", escape_text(name)),
                 "a begin and a name a line: '12.5s steady'"};
  }
  return out;
}

std::vector<rows::PhaseMark> stage_marks(const Trace& trace) {
  std::vector<rows::PhaseMark> out;
  if (trace.loads.size() != 1) return out;
  std::string_view line = trace.loads.front().argv;
  const std::string_view program = take_word(line);
  if (!program.ends_with("k6")) return out;
  std::vector<Stage> stages;
  bool is_next = false;
  while (true) {
    std::string_view word = take_word(line);
    if (word.empty()) break;
    const bool is_option = word == "--stage" || word == "-s";
    if (word.starts_with("--stage=")) word.remove_prefix(8), is_next = true;
    if (is_next) {
      while (!word.empty()) {
        const std::size_t comma = std::min(word.find(','), word.size());
        const std::string_view one = word.substr(0, comma);
        word.remove_prefix(std::min(comma + 1, word.size()));
        const std::size_t colon = std::min(one.find(':'), one.size());
        const auto length = time_of(one.substr(0, colon));
        const auto target = decimal(one.substr(std::min(colon + 1, one.size())));
        if (!length || !target) return {};
        stages.push_back({*length, static_cast<std::uint64_t>(std::max(*target, 0.0))});
      }
    }
    is_next = is_option;
  }
  add_stages(stages, load_start(trace), "stage", out);
  return out;
}

}  // namespace srvprof
