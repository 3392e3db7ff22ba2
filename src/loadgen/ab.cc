// ab (ApacheBench): its report, -g (a line a request) and -e (percentiles).
//
// Facts from its source, and from runs whose servers counted. "Failed requests" of kind Length only differ in
// size from the first answer: answered all the same. One that was reset (-r) is up to three of them: Receive,
// Exceptions and Length (it has none). "Complete requests" holds failures after the connect too. The
// report's table and -g are whole milliseconds, -e has microseconds. -g is sorted by ttime and its
// times are whole seconds. ttime includes connecting.
#include <fmt/format.h>

#include "loadgen/csv.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr std::string_view kStepNote = "ab prints whole milliseconds";
constexpr std::string_view kConnectNote = "ab's latency includes the time to connect";

bool recognise_text(std::string_view head) {
  return has_line(head, "This is ApacheBench") || has_line(head, "Complete requests:");
}
bool recognise_gnuplot(std::string_view head) {
  return has_line(head, "starttime\tseconds\tctime\tdtime\tttime\twait");
}
bool recognise_percentiles(std::string_view head) {
  return has_line(head, "Percentage served,Time in ms");
}

struct State {
  ClientRun run;
  std::string host, port, path;
  ErrorTally errors;
  std::uint64_t connect_failures = 0, receive_failures = 0, exceptions = 0, length_failures = 0;
  std::optional<std::uint64_t> failed, write_errors, complete;
  bool in_times = false, in_percentiles = false;
  std::string_view failure;          // what ab died of
  std::uint64_t before_failure = 0;  // requests that it had completed by then
};

// "(Connect: 0, Receive: 0, Length: 12, Exceptions: 0)".
Result<void> read_failures(std::string_view line, std::size_t number, State& state) {
  line = trim(line).substr(1);
  line = line.substr(0, line.find(')'));
  while (!line.empty()) {
    std::string_view item = trim(next_until(line, ','));
    const std::string_view name = next_until(item, ':');
    const auto count = parse_count(trim(item));
    if (!count) return field_error(number, "the number of failures", "a count", item);
    if (name == "Length") {
      state.length_failures = *count;
    } else if (*count > 0) {
      state.errors.add(name, *count);
    }
    if (name == "Connect") state.connect_failures = *count;
    if (name == "Receive") state.receive_failures = *count;
    if (name == "Exceptions") state.exceptions = *count;
  }
  return {};
}

// "Total:          0    1   0.3      1       3": min, mean, deviation, median, max.
Result<void> read_times(std::string_view rest, std::size_t number, LatencySummary& out) {
  std::optional<Figure> figure[5];
  for (auto& f : figure) {
    f = parse_decimal(next_field(rest), kMillisecond);
    if (!f) return line_error(number, "not 'Total: MIN MEAN SD MEDIAN MAX'");
  }
  out.min = figure[0];
  out.mean = figure[1];
  out.stddev = figure[2];
  out.max = figure[4];
  return {};
}

Result<void> read_percentile(std::string_view line, std::size_t number, LatencySummary& out) {
  std::string_view percent = next_field(line);
  if (percent.ends_with('%')) percent.remove_suffix(1);
  const auto at = parse_decimal(percent, kSecond);
  const auto value = parse_decimal(next_field(line), kMillisecond);
  if (!at || at->value > 100 * kSecond || !value) return line_error(number, "not 'PERCENT% MS'");
  set_percentile(out, to_seconds(at->value), *value);
  return {};
}

Result<void> read_key(std::string_view key, std::string_view value, std::size_t number,
                      State& state) {
  const std::string_view first = next_field(value);
  const auto need_count = [&](std::optional<std::uint64_t>& out) -> Result<void> {
    out = parse_count(first);
    if (!out) return field_error(number, key, "a count", first);
    return {};
  };
  if (key == "Server Hostname") state.host = first;
  if (key == "Server Port") state.port = first;
  if (key == "Document Path") state.path = first;
  if (key == "Concurrency Level") return need_count(state.run.connections);
  if (key == "Complete requests") return need_count(state.complete);
  if (key == "Failed requests") return need_count(state.failed);
  if (key == "Write errors") return need_count(state.write_errors);
  if (key == "Non-2xx responses") return need_count(state.run.counts.http_errors);
  if (key == "Time taken for tests") {
    const auto seconds = parse_decimal(first, kSecond);
    if (!seconds) return field_error(number, key, "a number of seconds", first);
    state.run.duration = seconds->value;
  }
  return {};
}

Result<void> read_line(std::string_view line, std::size_t number, State& state) {
  if (line.empty()) return {};
  if (state.in_percentiles) {
    if (line.find('%') == std::string_view::npos) return {};
    return read_percentile(line, number, state.run.latency);
  }
  std::string_view rest = line;
  const std::string_view key = next_until(rest, ':');
  if (line.substr(0, 10) == "Percentage") {
    state.in_percentiles = true;
  } else if (line.substr(0, 16) == "Connection Times") {
    state.in_times = true;
  } else if (state.in_times) {
    if (key == "Total") return read_times(rest, number, state.run.latency);
  } else if (line.substr(0, 9) == "(Connect:") {
    return read_failures(line, number, state);
  } else if (line.ends_with(')') && contains(line, "apr_")) {
    // "apr_socket_recv: Connection refused (111)", on stderr: a progress line may stand before it.
    state.failure = line.substr(line.find("apr_"));
  } else if (line.substr(0, 9) == "Total of ") {
    rest = line.substr(9);
    state.before_failure = parse_count(next_field(rest)).value_or(0);
  } else {
    return read_key(key, rest, number, state);
  }
  return {};
}

void finish_counts(State& state) {
  ClientCounts& counts = state.run.counts;
  const std::uint64_t failed = state.failed.value_or(0);
  const std::uint64_t broken = std::max(state.receive_failures, state.exceptions);
  const std::uint64_t lost = std::min(state.connect_failures, *state.complete) + std::min(broken, *state.complete);
  // Of those that were lost, as many as there can be have no length either.
  const std::uint64_t other_length = state.length_failures - std::min(state.length_failures, lost);
  counts.requests = state.complete;
  counts.unanswered = std::min(lost, *state.complete);
  counts.answered = *state.complete - *counts.unanswered;
  counts.tool_failed = failed;
  if (!counts.http_errors) counts.http_errors = 0;  // the line is printed only if there are some
  if (other_length > 0) {
    state.run.notes.push_back(
        fmt::format("{} of ab's failed requests only differ in length from its first answer: they "
                    "are counted as answered",
                    other_length));
  }
  if (*counts.http_errors > 0) {
    state.run.notes.push_back("http_errors of ab are all answers but 2xx");
  }
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line) {
  State state;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) TRY(read_line(trim(line), lines.number(), state));
  ClientRun& run = state.run;
  run.tool = "ab";
  run.latency_has_connect = true;
  if (!state.complete && !state.failure.empty()) {
    // ab gives up at the first failure unless -r is set.
    run.counts.answered = state.before_failure;
    run.counts.unanswered = 1;
    complete_counts(run.counts);
    run.counts.http_errors = std::nullopt;  // of those before it the report would have told
    state.errors.add(state.failure);
    run.counts.errors = state.errors.take();
    run.notes.push_back("ab gave up at a failed request and made no report");
    return run;
  }
  if (!state.complete || !run.duration) {
    return line_error(lines.number(), "the output ends before 'Complete requests:'");
  }
  if (!state.host.empty()) {
    run.target = clean_url(fmt::format("http://{}:{}{}", state.host, state.port, state.path));
  }
  run.counts.errors = state.errors.take();
  finish_counts(state);
  run.notes.emplace_back(kStepNote);
  run.notes.emplace_back(kConnectNote);
  return run;
}

Result<ClientRun> import_text(std::string_view text) {
  return import_parts(text, "This is ApacheBench", import_part);
}

Result<ClientSample> read_row(const std::vector<std::string_view>& row, std::size_t line) {
  constexpr std::size_t kFields = 6;
  if (row.size() != kFields) {
    return line_error(line, fmt::format("{} fields, not {}", row.size(), kFields));
  }
  const auto start = parse_decimal(row[1], kSecond);
  const auto connect = parse_decimal(row[2], kMillisecond);
  const auto latency = parse_decimal(row[4], kMillisecond);
  const auto wait = parse_decimal(row[5], kMillisecond);
  if (!start || !connect || !latency || !wait) {
    return line_error(line, "a time is not a whole number");
  }
  ClientSample sample;
  sample.start = start->value;
  sample.connect = connect->value;
  sample.latency = latency->value;
  sample.first_byte = std::min(latency->value, connect->value + wait->value);
  return sample;
}

Result<ClientRun> import_gnuplot(std::string_view text) {
  CsvReader tsv(text, '\t');
  std::vector<std::string_view> row;
  SampleCollector samples;
  bool header = false, cut = false;
  while (TRY(tsv.next(row))) {
    if (!header) {
      header = row[0] == "starttime";
    } else if (tsv.open_end()) {
      cut = true;
    } else {
      const ClientSample sample = TRY(read_row(row, tsv.line()));
      TRY(samples.add(sample, {}, tsv.line()));
    }
  }
  ClientRun run;
  run.tool = "ab";
  run.latency_has_connect = true;
  run.time_base = TimeBase::kWallClock;
  run.time_resolution = kSecond;
  run.latency_resolution = kMillisecond;
  samples.finish(run, true);
  run.notes.emplace_back(kStepNote);
  run.notes.emplace_back(kConnectNote);
  run.notes.push_back(
      "the starts are whole seconds and the rows are sorted by latency: single "
      "requests cannot be joined");
  run.notes.push_back("ab -g tells neither status nor failures");
  if (cut) run.notes.push_back("the file ends within a line, which was left out");
  return run;
}

Result<ClientRun> import_percentiles(std::string_view text) {
  CsvReader csv(text);
  std::vector<std::string_view> row;
  ClientRun run;
  bool header = false;
  while (TRY(csv.next(row))) {
    if (!header) {
      header = row[0] == "Percentage served";
      continue;
    }
    const auto percent = row.size() == 2 ? parse_decimal(row[0], kSecond) : std::nullopt;
    const auto value = row.size() == 2 ? parse_decimal(row[1], kMillisecond) : std::nullopt;
    if (!percent || percent->value > 100 * kSecond || !value || csv.open_end()) {
      return line_error(csv.line(), "not a whole row 'PERCENT,MS'");
    }
    set_percentile(run.latency, to_seconds(percent->value), *value);
    if (percent->value == Duration{0}) run.latency.min = value;
    if (percent->value == 100 * kSecond) run.latency.max = value;
  }
  run.tool = "ab";
  run.latency_has_connect = true;
  run.notes.emplace_back(kConnectNote);
  run.notes.push_back("ab -e tells neither how many requests there were nor failures");
  return run;
}

constexpr LoadFormat kFormats[] = {
    {.name = "ab",
     .tool = "ab",
     .doc = "ab: the report on stdout",
     .keeps = "counts, failures, percentiles in whole ms; no single requests",
     .recognise = recognise_text,
     .import = import_text},
    {.name = "ab-gnuplot",
     .tool = "ab",
     .doc = "ab -g FILE",
     .keeps =
         "every request: start in whole seconds, latency, connect, first byte in whole ms; not: "
         "status, failures, paths",
     .recognise = recognise_gnuplot,
     .import = import_gnuplot},
    {.name = "ab-percentiles",
     .tool = "ab",
     .doc = "ab -e FILE",
     .keeps = "percentiles 0 to 100 in microseconds; no counts, no single requests",
     .recognise = recognise_percentiles,
     .import = import_percentiles},
};

}  // namespace

std::span<const LoadFormat> ab_formats() { return kFormats; }

}  // namespace srvprof
