// wrk (by Will Glozer) and wrk2, its open-loop fork, which prints the same lines and more.
//
// Facts from their sources. wrk 4.x "corrects" its histogram before printing (stats_correct in
// wrk.c): for each latency above the mean time a connection takes per request it adds samples that
// were never measured, so mean and percentiles are too high; --latency does not change that. An
// answer later than --timeout (2 s) counts as answered and as "timeout" and is in no percentile.
// Latency runs from the write of the request, connecting is not part of it. wrk2 measures from the
// time a request was due; its histogram starts after a calibration.
#include <cmath>

#include <fmt/format.h>

#include "loadgen/json.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

bool is_wrk2(std::string_view head) {
  return contains(head, "HdrHistogram") || has_line(head, "Thread calibration:");
}

bool recognise_any(std::string_view head) {
  return has_line(head, "unable to connect to ") ||
         (has_line(head, "Running ") && contains(head, " threads and ") &&
          !contains(head, "autocannon"));
}

bool recognise_wrk(std::string_view head) { return recognise_any(head) && !is_wrk2(head); }
bool recognise_wrk2(std::string_view head) { return recognise_any(head) && is_wrk2(head); }

// What has been read so far.
struct State {
  ClientRun run;
  LatencySummary* summary = nullptr;  // where percentiles go
  ErrorTally errors;
  std::optional<std::uint64_t> unanswered;
  bool complete = false;  // the line "N requests in" was there
  bool refused = false;
};

// "Latency     2.06ms    8.01ms  104.33ms   97.36%": mean, standard deviation, maximum.
void read_stats(std::string_view rest, LatencySummary& out) {
  out.mean = parse_printed_duration(next_field(rest));
  out.stddev = parse_printed_duration(next_field(rest));
  out.max = parse_printed_duration(next_field(rest));
}

// "50%  399.00us" or "99.990%   10.53ms". Values are whole microseconds in the tool.
bool read_percentile(std::string_view line, LatencySummary& out) {
  std::string_view percent = next_field(line);
  if (percent.empty() || percent.back() != '%') return false;
  percent.remove_suffix(1);
  const auto at = parse_decimal(percent, kSecond);
  auto value = parse_printed_duration(next_field(line));
  if (!at || at->value > 100 * kSecond || !value || !trim(line).empty()) return false;
  value->resolution = std::max(value->resolution, kMicrosecond);
  set_percentile(out, to_seconds(at->value), *value);
  return true;
}

// "#[Max     =       10.592, Total count    =         5970]", milliseconds with three decimals.
void read_histogram_foot(std::string_view line, LatencySummary& out) {
  const auto value_after = [&](std::string_view key) {
    const auto at = line.find(key);
    if (at == std::string_view::npos) return std::string_view{};
    std::string_view rest = line.substr(at + key.size());
    const auto begin = rest.find_first_not_of(" =");
    rest.remove_prefix(std::min(begin, rest.size()));
    return rest.substr(0, rest.find_first_of(",]"));
  };
  if (auto v = parse_decimal(value_after("#[Mean"), kMillisecond)) out.mean = v;
  if (auto v = parse_decimal(value_after("StdDeviation"), kMillisecond)) out.stddev = v;
  if (auto v = parse_decimal(value_after("#[Max"), kMillisecond)) out.max = v;
  if (auto n = parse_count(value_after("Total count"))) out.count = n;
}

// "Socket errors: connect 0, read 3, write 0, timeout 2".
Result<void> read_socket_errors(std::string_view line, std::size_t number, State& state) {
  std::string_view rest = line.substr(line.find(':') + 1);
  std::uint64_t lost = 0;
  while (!trim(rest).empty()) {
    std::string_view item = trim(next_until(rest, ','));
    const std::string_view name = next_field(item);
    const auto count = parse_count(trim(item));
    if (!count) return field_error(number, "the number of socket errors", "a count", item);
    if (name == "timeout") {
      state.run.counts.timeouts = count;
    } else {
      lost += *count;
      if (*count > 0) state.errors.add(fmt::format("socket errors: {}", name), *count);
    }
  }
  state.unanswered = lost;
  return {};
}

// "36371 requests in 2.10s, 115.33MB read".
Result<void> read_total(std::string_view line, std::size_t number, State& state) {
  const auto requests = parse_count(next_field(line));
  next_field(line);  // requests
  next_field(line);  // in
  line = trim(line);
  const auto duration = parse_printed_duration(next_until(line, ','));
  if (!requests || !duration) return line_error(number, "not 'N requests in TIME, SIZE read'");
  state.run.counts.answered = requests;
  state.run.duration = duration->value;
  state.complete = true;
  return {};
}

// The line that the often copied done() script prints: exact microseconds.
Result<void> read_done_json(std::string_view line, std::size_t number, State& state) {
  const JsonDocument document = TRY(JsonDocument::parse(line.substr(5), number));
  const JsonView latency = document.root()["latency_us"];
  if (!latency.is_object()) return {};
  LatencySummary exact;
  latency.each([&](std::string_view key, JsonView value) {
    const auto us = value.number();
    const auto duration = us ? duration_of(*us, kMicrosecond) : std::nullopt;
    if (!duration) return;
    const Figure figure{*duration, kMicrosecond};
    if (key == "min") exact.min = figure;
    if (key == "max") exact.max = figure;
    if (key == "mean") exact.mean = figure;
    if (key == "stdev") exact.stddev = figure;
    if (key.size() < 2 || key[0] != 'p') return;
    const auto percent = parse_decimal(key.substr(1), kSecond);
    if (percent && percent->value <= 100 * kSecond) {
      set_percentile(exact, to_seconds(percent->value), figure);
    }
  });
  if (exact.empty()) return {};
  state.run.latency = exact;
  state.run.notes.push_back("latencies are those of the script's JSON line, in microseconds");
  const auto us = document.root()["duration_us"].number();
  if (const auto duration = us ? duration_of(*us, kMicrosecond) : std::nullopt) {
    state.run.duration = duration;
  }
  return {};
}

void read_setup(std::string_view line, State& state) {
  if (const auto at = line.find(" test @ "); at != std::string_view::npos) {
    state.run.target = clean_url(trim(line.substr(at + 8)));
  }
}

Result<void> read_line(std::string_view line, std::size_t number, State& state) {
  const auto starts = [&](std::string_view s) { return line.substr(0, s.size()) == s; };
  std::string_view fields = line;
  const std::string_view first = next_field(fields);
  if (starts("Running ")) {
    read_setup(line, state);
  } else if (contains(line, " threads and ")) {
    state.run.threads = parse_count(first);
    next_field(fields);
    next_field(fields);
    state.run.connections = parse_count(next_field(fields));
  } else if (starts("Latency Distribution")) {
    const bool as_sent = contains(line, "Uncorrected Latency");
    state.summary = as_sent ? &state.run.as_sent.emplace() : &state.run.latency;
  } else if (first == "Latency") {
    read_stats(fields, state.run.latency);
  } else if (starts("#[")) {
    if (state.summary != nullptr) read_histogram_foot(line, *state.summary);
  } else if (starts("Socket errors:")) {
    return read_socket_errors(line, number, state);
  } else if (starts("Non-2xx or 3xx responses:")) {
    state.run.counts.http_errors = parse_count(trim(line.substr(line.find(':') + 1)));
  } else if (contains(line, " requests in ") && !state.complete) {
    return read_total(line, number, state);
  } else if (starts("JSON {")) {
    return read_done_json(line, number, state);
  } else if (starts("unable to connect to ")) {
    state.refused = true;
    state.errors.add(line);
  } else if (first.ends_with('%') && state.summary != nullptr && !state.complete) {
    if (!read_percentile(line, *state.summary)) {
      return line_error(number, fmt::format("not 'PERCENT% TIME': {}", quoted(line)));
    }
  }
  return {};
}

// A closed loop of C connections that made N requests in T seconds took C x T / N a request on
// average: what the histogram's mean would be if nothing were added to it.
void note_correction(ClientRun& run) {
  run.kind = LatencyKind::kCorrected;
  run.notes.push_back(
      "wrk 'corrects' its histogram: it adds latencies that it never measured, so its mean and "
      "percentiles can be too high");
  const auto answered = run.counts.answered;
  if (!run.connections || !run.duration || !answered || *answered == 0 || !run.latency.mean) return;
  const double mean_ms =
      to_ms(*run.duration) * static_cast<double>(*run.connections) / static_cast<double>(*answered);
  const double said_ms = to_ms(run.latency.mean->value);
  if (said_ms < 1.25 * mean_ms) return;
  run.notes.push_back(
      fmt::format("warning: {} connections x {:.3f} s / {} requests is a mean of {:.2f} ms; wrk "
                  "says {:.2f} ms: "
                  "do not trust its percentiles",
                  *run.connections, to_seconds(*run.duration), *answered, mean_ms, said_ms));
}

void note_timeouts(ClientRun& run) {
  if (run.counts.timeouts.value_or(0) == 0) return;
  run.notes.push_back(fmt::format(
      "{} answers came later than the timeout (2 s unless --timeout says otherwise): they are "
      "counted as answered and missing in the percentiles",
      *run.counts.timeouts));
}

void note_wrk2(ClientRun& run) {
  run.kind = LatencyKind::kAsIntended;
  run.notes.push_back("wrk2 counts latency from when a request was due, not from when it was sent");
  const auto held = run.latency.count;
  if (held && run.counts.answered && *held < *run.counts.answered) {
    run.notes.push_back(fmt::format(
        "the percentiles hold {} of {} requests: wrk2 leaves out the calibration of a long run",
        *held, *run.counts.answered));
  }
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line, bool wrk2) {
  State state;
  state.run.tool = wrk2 ? "wrk2" : "wrk";
  state.run.latency_has_connect = false;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) TRY(read_line(trim(line), lines.number(), state));
  ClientRun& run = state.run;
  if (state.refused && !state.complete) {
    run.counts.answered = run.counts.unanswered = run.counts.requests = 0;
    run.counts.errors = state.errors.take();
    run.notes.push_back("the generator could not connect and made no request");
    return run;
  }
  if (!state.complete) {
    return line_error(lines.number(), "the output ends before the line 'N requests in TIME'");
  }
  // The line is printed only if one of its numbers is not 0.
  run.counts.unanswered = state.unanswered.value_or(0);
  if (!run.counts.timeouts) run.counts.timeouts = 0;
  if (!run.counts.http_errors) run.counts.http_errors = 0;
  run.counts.errors = state.errors.take();
  complete_counts(run.counts);
  if (run.latency.mean && run.latency.mean->value == Duration{0} && run.counts.answered == 0u) {
    run.latency = {};
  }
  wrk2 ? note_wrk2(run) : note_correction(run);
  note_timeouts(run);
  return run;
}

Result<ClientRun> import_wrk(std::string_view text) {
  return import_parts(text, "Running ", [](std::string_view part, std::size_t line) {
    return import_part(part, line, false);
  });
}

Result<ClientRun> import_wrk2(std::string_view text) {
  return import_parts(text, "Running ", [](std::string_view part, std::size_t line) {
    return import_part(part, line, true);
  });
}

constexpr LoadFormat kFormats[] = {
    {.name = "wrk",
     .tool = "wrk",
     .doc = "wrk [--latency], also with a done() script that prints JSON",
     .keeps = "counts, errors, mean, max, percentiles (marked: wrk bends them); no single requests",
     .recognise = recognise_wrk,
     .import = import_wrk},
    {.name = "wrk2",
     .tool = "wrk2",
     .doc = "wrk2 --latency or --u_latency",
     .keeps =
         "counts, errors, percentiles as intended and (--u_latency) as sent; no single requests",
     .recognise = recognise_wrk2,
     .import = import_wrk2},
};

}  // namespace

std::span<const LoadFormat> wrk_formats() { return kFormats; }

}  // namespace srvprof
