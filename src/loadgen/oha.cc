// oha: JSON, CSV, and its report.
//
// Facts from its source (versions 1.4 to 1.12), and from runs of 1.16. All times are seconds. A latency runs from the
// start of the request, connecting included; with --latency-correction it runs from when the
// request was due, which the output does not say. Answers of any status are successes and in the
// percentiles. "aborted due to deadline" are the requests still open when -z ended the run. The CSV
// holds successes only, starts count from oha's start.
#include <fmt/format.h>

#include "loadgen/csv.h"
#include "loadgen/json.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr std::string_view kDeadline = "aborted due to deadline";
constexpr std::string_view kCsvHeader = "request-start,DNS,DNS+dialup,Response-delay";

void add_error(ClientRun& run, ErrorTally& errors, std::string_view text, std::uint64_t count) {
  if (text == kDeadline) {
    run.notes.push_back(fmt::format(
        "{} requests were still open when the time was over: not counted as made", count));
    return;
  }
  errors.add(text, count);
  run.counts.unanswered = run.counts.unanswered.value_or(0) + count;
}

void finish_summary(ClientRun& run, ErrorTally& errors) {
  run.tool = "oha";
  run.latency_has_connect = true;
  if (!run.counts.answered) run.counts.answered = 0;
  if (!run.counts.unanswered) run.counts.unanswered = 0;
  run.counts.errors = errors.take();
  complete_counts(run.counts);
  if (*run.counts.answered == 0) run.latency = {};
  run.notes.push_back(
      "oha's latency includes the time to connect; with --latency-correction it "
      "counts from when a request was due, which the output does not say");
}

bool recognise_json(std::string_view head) {
  return contains(head, "\"successRate\"") && contains(head, "\"requestsPerSec\"");
}

Result<ClientRun> import_json(std::string_view text) {
  const JsonDocument document = TRY(JsonDocument::parse_within(text));
  const JsonView root = document.root(), summary = root["summary"];
  ClientRun run;
  // NaN, for want of successes, is written as null.
  const auto figure = [](JsonView value) -> std::optional<Figure> {
    const auto seconds = value.number();
    const auto duration = seconds ? duration_of(*seconds, kSecond) : std::nullopt;
    return duration ? std::optional(Figure{*duration, kNanosecond}) : std::nullopt;
  };
  run.latency.min = figure(summary["fastest"]);
  run.latency.max = figure(summary["slowest"]);
  run.latency.mean = figure(summary["average"]);
  if (const auto total = figure(summary["total"])) run.duration = total->value;
  root["latencyPercentiles"].each([&](std::string_view key, JsonView value) {
    const auto percent = parse_decimal(key.substr(std::min<std::size_t>(1, key.size())), kSecond);
    const auto latency = figure(value);
    if (percent && latency && percent->value <= 100 * kSecond) {
      set_percentile(run.latency, to_seconds(percent->value), *latency);
    }
  });
  bool bad = !run.duration;
  root["statusCodeDistribution"].each([&](std::string_view key, JsonView value) {
    const auto status = parse_status(key);
    const auto count = value.count();
    bad |= !status || *status == 0 || !count;
    if (bad) return;
    add_status(run.counts, *status, *count);
    run.counts.answered = run.counts.answered.value_or(0) + *count;
  });
  ErrorTally errors;
  root["errorDistribution"].each([&](std::string_view key, JsonView value) {
    const auto count = value.count();
    bad |= !count;
    add_error(run, errors, key, count.value_or(0));
  });
  if (bad) return line_error(1, "the total time or a count is missing or not a number");
  run.latency.count = run.counts.answered;
  finish_summary(run, errors);
  return run;
}

bool recognise_csv(std::string_view head) { return has_line(head, kCsvHeader); }

Result<ClientSample> read_row(const std::vector<std::string_view>& row, std::size_t line) {
  constexpr std::size_t kFields = 7;
  if (row.size() != kFields) {
    return line_error(line, fmt::format("{} fields, not {}", row.size(), kFields));
  }
  Duration time[5];  // start, DNS, DNS + dialup, to the first byte, latency
  for (std::size_t i = 0; i < 5; ++i) {
    const auto figure = parse_decimal(row[i], kSecond);
    if (!figure) return field_error(line, "a time", "a number of seconds", row[i]);
    time[i] = figure->value;
  }
  const auto status = parse_status(row[6]);
  if (!status || *status == 0) return field_error(line, "status", "an HTTP status", row[6]);
  ClientSample sample;
  sample.start = time[0];
  sample.connect = time[2];
  if (time[3] > Duration{0}) sample.first_byte = time[3];
  sample.latency = time[4];
  sample.status = *status;
  return sample;
}

Result<ClientRun> import_csv(std::string_view text) {
  CsvReader csv(text);
  std::vector<std::string_view> row;
  SampleCollector samples;
  bool header = false, cut = false;
  while (TRY(csv.next(row))) {
    if (!header) {
      header = trim(row[0]) == "request-start";
    } else if (csv.open_end()) {
      cut = true;
    } else {
      const ClientSample sample = TRY(read_row(row, csv.line()));
      TRY(samples.add(sample, {}, csv.line()));
    }
  }
  ClientRun run;
  run.tool = "oha";
  run.latency_has_connect = true;
  run.time_base = TimeBase::kToolStart;
  run.time_resolution = run.latency_resolution = kNanosecond;
  samples.finish(run, true);
  run.notes.push_back("the starts count from oha's own start: the file holds no wall clock");
  run.notes.push_back("failed requests are not in oha's CSV: their number is not known");
  run.notes.push_back("oha's latency includes the time to connect");
  if (cut) run.notes.push_back("the file ends within a line, which was left out");
  return run;
}

bool recognise_text(std::string_view head) {
  return has_line(head, "Success rate:") && has_line(head, "Slowest:");
}

struct State {
  ClientRun run;
  ErrorTally errors;
  std::string_view section;
  bool has_status_section = false;
};

// "12.5000 ms": number and unit apart.
std::optional<Figure> read_time(std::string_view s) {
  const std::string_view number = next_field(s);
  std::string_view unit = next_field(s);
  if (unit.ends_with("sec")) unit.remove_suffix(2);  // "sec" -> "s"
  if (unit == "secs") unit = "s";
  return parse_printed_duration(fmt::format("{}{}", number, unit));
}

Result<void> read_line(std::string_view line, std::size_t number, State& state) {
  if (line.empty()) return {};
  std::string_view rest = line;
  const std::string_view key = next_until(rest, ':');
  const bool distribution = state.section == "Response time distribution";
  if (rest.empty() && line.back() == ':') {
    state.section = key;
    state.has_status_section |= key == "Status code distribution";
  } else if (state.section == "Summary") {
    if (key == "Total") {
      const auto total = read_time(rest);
      if (!total) return field_error(number, "Total", "a time", rest);
      state.run.duration = total->value;
    }
    if (key == "Slowest") state.run.latency.max = read_time(rest);
    if (key == "Fastest") state.run.latency.min = read_time(rest);
    if (key == "Average") state.run.latency.mean = read_time(rest);
  } else if (distribution) {
    std::string_view percent = next_field(line);
    if (percent.ends_with('%')) percent.remove_suffix(1);
    next_field(line);  // in
    const auto value = parse_decimal(percent, kSecond);
    if (!value || value->value > 100 * kSecond) {
      return field_error(number, "the percentile", "a number up to 100", percent);
    }
    const auto latency = read_time(line);  // NaN if nothing was answered
    if (latency) set_percentile(state.run.latency, to_seconds(value->value), *latency);
  } else if (line.front() == '[' && line.find(']') != std::string_view::npos) {
    const auto n = parse_count(line.substr(1, line.find(']') - 1));
    rest = trim(line.substr(line.find(']') + 1));
    if (state.section == "Error distribution" && n) add_error(state.run, state.errors, rest, *n);
    if (state.section != "Status code distribution") return {};
    const auto count = parse_count(next_field(rest));
    if (!n || *n < 100 || *n > 999 || !count) {
      return line_error(number, "not '[STATUS] N responses'");
    }
    add_status(state.run.counts, static_cast<std::uint16_t>(*n), *count);
    state.run.counts.answered = state.run.counts.answered.value_or(0) + *count;
  }
  return {};
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line) {
  State state;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) TRY(read_line(trim(line), lines.number(), state));
  if (!state.run.duration || !state.has_status_section) {
    return line_error(lines.number(), "the output ends before 'Status code distribution:'");
  }
  finish_summary(state.run, state.errors);
  return state.run;
}

Result<ClientRun> import_text(std::string_view text) {
  return import_parts(text, "Summary:", import_part);
}

constexpr LoadFormat kFormats[] = {
    {.name = "oha-json",
     .tool = "oha",
     .doc = "oha --output-format json (older: --json, -j)",
     .keeps = "counts, status, errors, percentiles; no single requests",
     .recognise = recognise_json,
     .import = import_json},
    {.name = "oha-csv",
     .tool = "oha",
     .doc = "oha --output-format csv",
     .keeps = "every answered request: start since oha's start, latency, connect, first byte, "
              "status; not: failed requests, paths",
     .recognise = recognise_csv,
     .import = import_csv},
    {.name = "oha",
     .tool = "oha",
     .doc = "oha: the report on stdout",
     .keeps = "counts, status, errors, percentiles to four decimals of their unit; no single "
              "requests",
     .recognise = recognise_text,
     .import = import_text},
};

}  // namespace

std::span<const LoadFormat> oha_formats() { return kFormats; }

}  // namespace srvprof
