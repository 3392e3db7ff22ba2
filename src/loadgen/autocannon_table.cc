// Box-drawing tables; a row is "│ Latency │ 0 ms │ ... │". Colours are gone by now (all.cc).
#include "loadgen/autocannon_table.h"

#include <vector>

#include <fmt/format.h>

#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof::detail {
namespace {

constexpr std::string_view kBar = "\xe2\x94\x82";  // U+2502

// The cells of a row; empty if the line is none.
std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  line = trim(line);
  if (line.substr(0, kBar.size()) != kBar) return cells;
  line.remove_prefix(kBar.size());
  for (auto end = line.find(kBar); end != std::string_view::npos; end = line.find(kBar)) {
    cells.push_back(trim(line.substr(0, end)));
    line.remove_prefix(end + kBar.size());
  }
  return cells;
}

// "33k" -> 33000, rounded to 1000; "812" -> 812.
std::optional<std::uint64_t> read_rounded(std::string_view s, std::uint64_t& rounded_to) {
  const bool thousands = !s.empty() && s.back() == 'k';
  if (thousands) s.remove_suffix(1);
  const auto count = parse_count(s);
  if (!count || *count > std::uint64_t{1} << 50) return std::nullopt;
  if (thousands) rounded_to = 1000;
  return thousands ? *count * 1000 : *count;
}

// "18 ms": the figures of autocannon are whole milliseconds, but mean and deviation.
std::optional<Figure> read_ms(std::string_view s) {
  const auto figure = parse_decimal(next_field(s), kMillisecond);
  return figure ? std::optional(Figure{figure->value, kMillisecond}) : std::nullopt;
}

std::optional<double> read_percent(std::string_view s) {
  if (!s.empty() && s.back() == '%') s.remove_suffix(1);
  const auto percent = parse_decimal(s, kSecond);
  if (!percent || percent->value > 100 * kSecond) return std::nullopt;
  return to_seconds(percent->value);
}

struct State {
  ClientRun run;
  std::vector<std::string_view> header;
  std::uint64_t errors = 0, timeouts = 0;
  bool has_total = false;
};

Result<void> read_latency_row(const std::vector<std::string_view>& cells, std::size_t number,
                              State& state) {
  LatencySummary& out = state.run.latency;
  for (std::size_t i = 1; i < std::min(cells.size(), state.header.size()); ++i) {
    const auto figure = read_ms(cells[i]);
    if (!figure) return field_error(number, state.header[i], "a number of ms", cells[i]);
    if (const auto percent = read_percent(state.header[i])) set_percentile(out, *percent, *figure);
    if (state.header[i] == "Avg") out.mean = figure;
    if (state.header[i] == "Stdev") out.stddev = figure;
    if (state.header[i] == "Max") out.max = figure;
  }
  return {};
}

Result<void> read_row(const std::vector<std::string_view>& cells, std::size_t number,
                      State& state) {
  if (cells[0] == "Stat" || cells[0] == "Percentile" || cells[0] == "Code") {
    state.header = cells;
  } else if (cells[0] == "Latency" && !state.header.empty() && state.header[0] == "Stat") {
    return read_latency_row(cells, number, state);
  } else if (state.header.size() == 2 && cells.size() == 2 && state.header[0] == "Percentile") {
    const auto percent = read_percent(cells[0]);
    const auto figure = read_ms(cells[1]);
    if (!percent || !figure) return line_error(number, "not a row 'PERCENTILE, MS'");
    set_percentile(state.run.latency, *percent, *figure);
  } else if (state.header.size() == 2 && cells.size() == 2 && state.header[0] == "Code") {
    const auto status = parse_status(cells[0]);
    const auto count = parse_count(cells[1]);
    if (!status || *status == 0 || !count) return line_error(number, "not a row 'STATUS, COUNT'");
    add_status(state.run.counts, *status, *count);
  }
  return {};
}

// The lines around the tables.
Result<void> read_line(std::string_view line, std::size_t number, State& state) {
  std::uint64_t& rounded_to = state.run.counts.rounded_to;
  std::string_view rest = line;
  const std::string_view first = next_field(rest);
  rest = trim(rest);
  const auto starts = [&](std::string_view s) { return rest.substr(0, s.size()) == s; };
  if (starts("requests in ")) {
    state.run.counts.requests = read_rounded(first, rounded_to);
    rest.remove_prefix(std::string_view("requests in ").size());
    const auto duration = parse_printed_duration(next_until(rest, ','));
    if (!state.run.counts.requests || !duration) {
      return line_error(number, "not 'N requests in TIME'");
    }
    state.run.duration = duration->value;
    state.has_total = true;
  } else if (starts("2xx responses, ")) {
    // Printed where there were others; not rounded.
    rest.remove_prefix(std::string_view("2xx responses, ").size());
    const auto good = parse_count(first), others = parse_count(next_field(rest));
    if (!good || !others || trim(rest) != "non 2xx responses") {
      return line_error(number, "not 'N 2xx responses, N non 2xx responses'");
    }
    state.run.counts.answered = *good + *others;
  } else if (starts("errors (")) {
    const auto errors = read_rounded(first, rounded_to);
    rest.remove_prefix(std::string_view("errors (").size());
    const auto timeouts = read_rounded(next_field(rest), rounded_to);
    if (!errors || !timeouts) return line_error(number, "not 'N errors (N timeouts)'");
    state.errors = *errors;
    state.timeouts = *timeouts;
  } else if (first == "Running" && contains(line, " test @ ")) {
    state.run.target = clean_url(trim(line.substr(line.find(" test @ ") + 8)));
  } else if (rest == "connections") {
    state.run.connections = parse_count(first);
  }
  return {};
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line) {
  State state;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) {
    const auto cells = cells_of(line);
    if (cells.empty()) {
      TRY(read_line(trim(line), lines.number(), state));
    } else {
      TRY(read_row(cells, lines.number(), state));
    }
  }
  if (!state.has_total) {
    return line_error(lines.number(), "the output ends before the line 'N requests in TIME'");
  }
  ClientRun& run = state.run;
  run.tool = "autocannon";
  run.latency_has_connect = false;
  run.counts.tool_failed = state.errors;
  run.counts.timeouts = state.timeouts;
  if (state.errors == 0) {
    // A file that was cut may have lost the line.
    if (!run.counts.answered || run.counts.answered == run.counts.requests) run.counts.unanswered = 0;
  } else {
    run.counts.errors.push_back({"errors (timeouts among them)", state.errors});
    // Nothing was answered: zeros stand in all rows.
    if (run.latency.max && run.latency.max->value == Duration{0}) run.latency = {};
  }
  if (!run.counts.status.empty()) complete_counts(run.counts);
  run.notes.push_back("autocannon counts whole milliseconds, cut off");
  run.notes.push_back(
      "the number of requests is that of those sent: some of them were still open at the end");
  if (run.counts.rounded_to > 1) {
    run.notes.push_back("autocannon rounds the number of requests to thousands: use -j for all");
  }
  return run;
}

}  // namespace

bool recognise_autocannon_table(std::string_view head) {
  return contains(head, kBar) && contains(head, " Latency ") && contains(head, " Stat ");
}

Result<ClientRun> import_autocannon_table(std::string_view text) {
  return import_parts(text, "Running ", import_part);
}

}  // namespace srvprof::detail
