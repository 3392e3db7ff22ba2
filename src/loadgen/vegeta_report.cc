// vegeta's percentiles come from a t-digest, an estimate that is close but not exact, and they
// include requests that failed. The text rounds each time to the next finer unit.
#include "loadgen/vegeta_report.h"

#include <fmt/format.h>

#include "loadgen/json.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof::detail {
namespace {

// "95th" (JSON) or "95" (text).
void set_figure(LatencySummary& out, std::string_view key, Figure figure) {
  if (key == "min") out.min = figure;
  if (key == "max") out.max = figure;
  if (key == "mean") out.mean = figure;
  const auto digits = key.substr(0, key.find_first_not_of("0123456789."));
  const auto percent = parse_decimal(digits, kSecond);
  if (percent && percent->value <= 100 * kSecond) {
    set_percentile(out, to_seconds(percent->value), figure);
  }
}

// Counts of the codes: 0 is no answer.
void add_code(ClientCounts& counts, std::uint16_t code, std::uint64_t count) {
  if (code == 0) {
    counts.unanswered = counts.unanswered.value_or(0) + count;
  } else {
    counts.answered = counts.answered.value_or(0) + count;
    add_status(counts, code, count);
  }
}

void finish(ClientRun& run) {
  run.tool = "vegeta";
  run.latency_has_connect = true;
  ClientCounts& counts = run.counts;
  if (!counts.answered) counts.answered = 0;
  if (!counts.unanswered) counts.unanswered = 0;
  complete_counts(counts);
  run.latency.count = counts.requests;
  if (*counts.answered == 0) {
    run.latency = {};  // times to failure
  } else if (*counts.unanswered > 0) {
    run.notes.push_back(
        fmt::format("warning: vegeta's percentiles include the {} requests that got no answer",
                    *counts.unanswered));
  }
  run.notes.push_back("vegeta's latency includes the time to connect");
}

// "Requests      [total, rate, throughput]         400, 200.50, 200.48": calls `visit` with each
// label and its value. False if there is no such pair of lists.
bool read_lists(std::string_view line,
                const std::function<void(std::string_view, std::string_view)>& visit) {
  const auto open = line.find('['), close = line.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return false;
  }
  std::string_view labels = line.substr(open + 1, close - open - 1);
  std::string_view values = line.substr(close + 1);
  while (!labels.empty()) {
    const std::string_view value = trim(next_until(values, ','));
    if (value.empty()) return false;
    visit(trim(next_until(labels, ',')), value);
  }
  return true;
}

Result<void> read_codes(std::string_view line, std::size_t number, ClientRun& run) {
  std::string_view rest = line.substr(line.find(']') + 1);
  for (std::string_view pair = next_field(rest); !pair.empty(); pair = next_field(rest)) {
    const std::string_view code_text = next_until(pair, ':');
    const auto code = parse_status(code_text);
    const auto count = parse_count(pair);
    if (!code || !count) return field_error(number, "a status count", "CODE:COUNT", code_text);
    add_code(run.counts, *code, *count);
  }
  return {};
}

struct State {
  ClientRun run;
  std::optional<std::uint64_t> total;
  bool has_codes = false, in_errors = false;
  ErrorTally errors;
};

Result<void> read_line(std::string_view line, std::size_t number, State& state) {
  std::string_view rest = line;
  const std::string_view key = next_field(rest);
  bool ok = true;
  if (state.in_errors) {
    if (!line.empty()) state.errors.add(line, 0);  // a set: without counts
  } else if (key == "Requests") {
    ok = read_lists(line, [&](std::string_view label, std::string_view value) {
      if (label == "total") state.total = parse_count(value);
    });
    ok = ok && state.total;
  } else if (key == "Duration") {
    ok = read_lists(line, [&](std::string_view label, std::string_view value) {
      if (label != "total") return;
      const auto duration = parse_printed_duration(value);
      if (duration) state.run.duration = duration->value;
    });
    ok = ok && state.run.duration;
  } else if (key == "Latencies") {
    bool all = true;
    ok = read_lists(line, [&](std::string_view label, std::string_view value) {
      const auto figure = parse_printed_duration(value);
      all = all && figure;
      if (figure) set_figure(state.run.latency, label, *figure);
    });
    ok = ok && all;
  } else if (line.substr(0, 12) == "Status Codes") {
    state.has_codes = true;
    return read_codes(line, number, state.run);
  } else if (line == "Error Set:") {
    state.in_errors = true;
  }
  if (!ok) return line_error(number, fmt::format("not a list of values: {}", quoted(line)));
  return {};
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line) {
  State state;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) TRY(read_line(trim(line), lines.number(), state));
  if (!state.has_codes || !state.total || !state.in_errors) {
    return line_error(lines.number(), "the output ends before 'Error Set:'");
  }
  state.run.counts.errors = state.errors.take();
  finish(state.run);
  if (state.run.counts.requests != state.total) {
    return line_error(lines.number(), "the counts of the status codes are not those of the total");
  }
  return state.run;
}

}  // namespace

bool recognise_vegeta_report_json(std::string_view head) {
  return contains(head, "\"latencies\":") && contains(head, "\"status_codes\":") &&
         contains(head, "\"bytes_in\":");
}

Result<ClientRun> import_vegeta_report_json(std::string_view text) {
  const JsonDocument document = TRY(JsonDocument::parse_within(text));
  const JsonView root = document.root();
  ClientRun run;
  bool bad = false;
  root["status_codes"].each([&](std::string_view key, JsonView value) {
    const auto code = parse_status(key);
    const auto count = value.count();
    bad |= !code || !count;
    if (code && count) add_code(run.counts, *code, *count);
  });
  if (bad) return line_error(1, "status_codes is not a table of counts");
  root["latencies"].each([&](std::string_view key, JsonView value) {
    const auto ns = value.number();
    const auto duration = ns ? duration_of(*ns, kNanosecond) : std::nullopt;
    if (duration && key != "total") set_figure(run.latency, key, Figure{*duration, kNanosecond});
  });
  ErrorTally errors;
  root["errors"].each([&](std::string_view, JsonView e) { errors.add(e.text().value_or(""), 0); });
  run.counts.errors = errors.take();
  if (const auto at = root["earliest"].text()) run.started = parse_rfc3339(*at);
  if (const auto at = root["end"].text()) run.finished = parse_rfc3339(*at);
  const auto attack = root["duration"].number(), wait = root["wait"].number();
  if (attack && wait) run.duration = duration_of(*attack + *wait, kNanosecond);
  finish(run);
  if (root["requests"].count() != run.counts.requests) {
    return line_error(1, "requests is not the sum of status_codes");
  }
  return run;
}

bool recognise_vegeta_report(std::string_view head) {
  return has_line(head, "Requests ") && has_line(head, "Latencies ") &&
         contains(head, "[total, rate");
}

Result<ClientRun> import_vegeta_report(std::string_view text) {
  return import_parts(text, "Requests ", import_part);
}

bool recognise_vegeta_hdrplot(std::string_view head) {
  return has_line(head, "Value(ms)  Percentile  TotalCount");
}

// Columns: value in ms, quantile, how many are not above it, 1/(1-quantile).
Result<ClientRun> import_vegeta_hdrplot(std::string_view text) {
  constexpr double kKept[] = {0, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
  ClientRun run;
  LineReader lines(text);
  std::string_view line;
  std::uint64_t total = 0;
  bool in_table = false;
  while (lines.next(line)) {
    const std::string_view first = next_field(line);
    if (first == "Value(ms)") in_table = true;
    if (!in_table || first.empty() || first == "Value(ms)") continue;
    const auto value = parse_decimal(first, kMillisecond);
    const auto quantile = parse_decimal(next_field(line), 100 * kSecond);
    const auto count = parse_count(next_field(line));
    if (!value || !quantile || quantile->value > 100 * kSecond || !count) {
      return line_error(lines.number(), "not a row 'MS QUANTILE COUNT ...'");
    }
    total = std::max(total, *count);
    for (const double percent : kKept) {
      if (to_seconds(quantile->value) == percent) {
        set_percentile(run.latency, percent, *value);
        if (percent == 0) run.latency.min = value;
        if (percent == 100) run.latency.max = value;
      }
    }
  }
  if (!run.latency.max) {
    return line_error(lines.number(), "the output ends before the row of the quantile 1");
  }
  run.tool = "vegeta";
  run.latency_has_connect = true;
  run.counts.requests = total;
  run.latency.count = total;
  run.notes.push_back("the plot does not tell failed requests from others");
  run.notes.push_back("vegeta's latency includes the time to connect");
  return run;
}

}  // namespace srvprof::detail
