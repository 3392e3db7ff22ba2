// hey: its report and its CSV.
//
// Facts from its source. Times are printed with four decimals of a second: steps of 0.1 ms. A
// latency includes DNS and connecting. `offset` is when the request was started, since hey's own
// start: no wall clock. Failed requests are in the report's error list and nowhere in the CSV. Both
// keep the first 1,000,000 answers only, but the report divides the sum of all by those.
#include <fmt/format.h>

#include "loadgen/csv.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr Duration kStep{100'000};
constexpr std::uint64_t kMaxKept = 1'000'000;
constexpr std::string_view kStepNote = "hey prints steps of 0.1 ms";
constexpr std::string_view kConnectNote = "hey's latency includes the time to connect";

bool recognise_text(std::string_view head) {
  return has_line(head, "Summary:") && has_line(head, "Requests/sec:") &&
         !has_line(head, "Success rate:");
}

bool recognise_csv(std::string_view head) {
  return has_line(head, "response-time,DNS+dialup,DNS,Request-write");
}

struct State {
  ClientRun run;
  ErrorTally errors;
  std::uint64_t answered = 0, unanswered = 0;
  std::string_view section;
  bool has_total = false;
  bool has_status_section = false;
};

std::optional<Figure> seconds(std::string_view s) {
  const auto figure = parse_decimal(next_field(s), kSecond);  // "NaN" is none
  return figure ? std::optional(Figure{figure->value, std::max(figure->resolution, kStep)})
                : std::nullopt;
}

void read_summary(std::string_view key, std::string_view value, State& state) {
  LatencySummary& latency = state.run.latency;
  if (key == "Total") {
    if (const auto total = seconds(value)) {
      state.run.duration = total->value;
      state.has_total = true;
    }
  }
  if (key == "Slowest") latency.max = seconds(value);
  if (key == "Fastest") latency.min = seconds(value);
  if (key == "Average") latency.mean = seconds(value);
}

// "[200]	2000 responses" and "[20]	Get ...: connection refused".
Result<void> read_bracket(std::string_view line, std::size_t number, State& state) {
  const auto end = line.find(']');
  const std::string_view inner = line.substr(1, end == std::string_view::npos ? end : end - 1);
  const auto n = parse_count(inner);
  if (end == std::string_view::npos || !n) return line_error(number, "not '[NUMBER] ...'");
  std::string_view rest = trim(line.substr(end + 1));
  if (state.section == "Error distribution") {
    state.errors.add(rest, *n);
    state.unanswered += *n;
    return {};
  }
  const auto status = parse_status(inner);
  const auto count = parse_count(next_field(rest));
  if (!status || *status == 0 || !count) return line_error(number, "not '[STATUS] N responses'");
  add_status(state.run.counts, *status, *count);
  state.answered += *count;
  return {};
}

Result<void> read_line(std::string_view line, std::size_t number, State& state) {
  if (line.empty()) return {};
  std::string_view rest = line;
  const std::string_view key = next_until(rest, ':');
  if (line.back() == ':' && rest.empty()) {
    state.section = key;
    state.has_status_section |= key == "Status code distribution";
  } else if (state.section == "Summary") {
    read_summary(key, rest, state);
  } else if (state.section == "Latency distribution") {
    std::string_view percent = next_field(line);
    const auto figure = line.size() > 3 ? seconds(trim(line).substr(3)) : std::nullopt;
    if (percent.empty() || percent.back() != '%' || !figure) {
      return line_error(number, "not 'PERCENT% in TIME secs'");
    }
    percent.remove_suffix(1);
    const auto value = parse_decimal(percent, kSecond);
    if (!value || value->value > 100 * kSecond) {
      return field_error(number, "the percentile", "a number up to 100", percent);
    }
    // hey prints "0% in 0.0000 secs" for those that too few requests leave undefined.
    if (value->value > Duration{0}) {
      set_percentile(state.run.latency, to_seconds(value->value), *figure);
    }
  } else if (line.front() == '[' && (state.section == "Status code distribution" ||
                                     state.section == "Error distribution")) {
    return read_bracket(line, number, state);
  }
  return {};
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line) {
  State state;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) TRY(read_line(trim(line), lines.number(), state));
  if (!state.has_total || !state.has_status_section) {
    return line_error(lines.number(), "the output ends before 'Status code distribution:'");
  }
  ClientRun& run = state.run;
  run.tool = "hey";
  run.latency_has_connect = true;
  run.counts.answered = state.answered;
  run.counts.unanswered = state.unanswered;
  run.counts.errors = state.errors.take();
  complete_counts(run.counts);
  run.notes.emplace_back(kStepNote);
  run.notes.emplace_back(kConnectNote);
  if (state.answered == 0) {  // all zeros and NaN
    run.latency = {};
    run.notes.push_back("no request was answered");
  }
  if (state.answered > kMaxKept) {
    run.latency.mean.reset();
    run.notes.push_back(fmt::format(
        "hey's percentiles are those of its first {} answers, and its average is wrong beyond "
        "them: left out",
        kMaxKept));
  }
  return run;
}

Result<ClientRun> import_text(std::string_view text) {
  return import_parts(text, "Summary:", import_part);
}

struct Columns {
  std::size_t latency = 0, connect = 0, write = 0, delay = 0, status = 0, offset = 0, count = 0;
};

Result<Columns> read_header(const std::vector<std::string_view>& header, std::size_t line) {
  const auto latency = find_column(header, {"response-time"});
  const auto connect = find_column(header, {"DNS+dialup"});
  const auto write = find_column(header, {"Request-write"});
  const auto delay = find_column(header, {"Response-delay"});
  const auto status = find_column(header, {"status-code"});
  const auto offset = find_column(header, {"offset"});
  if (!latency || !connect || !write || !delay || !status || !offset) {
    return line_error(line, "the columns status-code and offset are missing: hey before 0.1.3");
  }
  return Columns{*latency, *connect, *write, *delay, *status, *offset, header.size()};
}

Result<ClientSample> read_row(const std::vector<std::string_view>& row, const Columns& columns,
                              std::size_t line) {
  if (row.size() != columns.count) {
    return line_error(line, fmt::format("{} fields, not {}", row.size(), columns.count));
  }
  Duration time[5];
  const std::size_t order[5] = {columns.latency, columns.offset, columns.connect, columns.write,
                                columns.delay};
  for (std::size_t i = 0; i < 5; ++i) {
    const auto figure = parse_decimal(row[order[i]], kSecond);
    if (!figure) return field_error(line, "a time", "a number of seconds", row[order[i]]);
    time[i] = figure->value;
  }
  const auto status = parse_status(row[columns.status]);
  if (!status) return field_error(line, "status-code", "an HTTP status", row[columns.status]);
  ClientSample sample;
  sample.latency = time[0];
  sample.start = time[1];
  sample.connect = time[2];
  sample.first_byte = std::min(time[0], time[2] + time[3] + time[4]);
  sample.status = *status;
  return sample;
}

Result<ClientRun> import_csv(std::string_view text) {
  CsvReader csv(text);
  std::vector<std::string_view> row;
  SampleCollector samples;
  std::optional<Columns> columns;
  bool cut = false;
  while (TRY(csv.next(row))) {
    if (!columns) {
      if (trim(row[0]) != "response-time") continue;  // other output before the header
      columns = TRY(read_header(row, csv.line()));
    } else if (csv.open_end()) {
      cut = true;
    } else {
      const ClientSample sample = TRY(read_row(row, *columns, csv.line()));
      TRY(samples.add(sample, {}, csv.line()));
    }
  }
  if (!columns) return line_error(csv.line(), "there is no header 'response-time,...'");
  ClientRun run;
  run.tool = "hey";
  run.latency_has_connect = true;
  run.time_base = TimeBase::kToolStart;
  run.time_resolution = run.latency_resolution = kStep;
  samples.finish(run, true);
  run.notes.emplace_back(kStepNote);
  run.notes.emplace_back(kConnectNote);
  run.notes.push_back("the starts count from hey's own start: the file holds no wall clock");
  run.notes.push_back("failed requests are not in hey's CSV: their number is not known");
  if (run.samples.size() >= kMaxKept) {
    run.notes.push_back(
        fmt::format("hey keeps its first {} answers: the rest is missing", kMaxKept));
  }
  if (cut) run.notes.push_back("the file ends within a line, which was left out");
  return run;
}

constexpr LoadFormat kFormats[] = {
    {.name = "hey",
     .tool = "hey",
     .doc = "hey",
     .keeps = "counts, status, errors, mean, min, max, percentiles to 0.1 ms; no single requests",
     .recognise = recognise_text,
     .import = import_text},
    {.name = "hey-csv",
     .tool = "hey",
     .doc = "hey -o csv",
     .keeps = "every answered request: start since hey's start, latency, connect, first byte, "
              "status, to 0.1 ms; not: failed requests, paths",
     .recognise = recognise_csv,
     .import = import_csv},
};

}  // namespace

std::span<const LoadFormat> hey_formats() { return kFormats; }

}  // namespace srvprof
