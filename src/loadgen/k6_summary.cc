// Summaries of k6. JSON comes in three shapes: --summary-export has metrics.NAME."p(95)",
// handleSummary() metrics.NAME.values."p(95)", and since the new summary results.metrics[] with
// values.p95. All times in JSON are milliseconds, whatever summaryTimeUnit says.
//
// http_reqs counts requests that never got an answer, and their duration of 0 lowers
// http_req_duration. The sub-metric {expected_response:true} is free of them (and of 4xx and 5xx).
#include <fmt/format.h>

#include "loadgen/json.h"
#include "loadgen/k6.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof::detail {
namespace {

constexpr std::string_view kLatency = "http_req_duration";
constexpr std::string_view kExpected = "http_req_duration{expected_response:true}";

// The values of a metric, in whichever shape.
class Metrics {
 public:
  explicit Metrics(JsonView root) {
    const JsonView list = root["results"]["metrics"];
    list.each([&](std::string_view, JsonView metric) {
      if (const auto name = metric["name"].text()) by_name_[std::string(*name)] = metric["values"];
    });
    root["metrics"].each([&](std::string_view name, JsonView metric) {
      by_name_[std::string(name)] = metric["values"] ? metric["values"] : metric;
    });
  }

  JsonView operator[](std::string_view name) const {
    const auto it = by_name_.find(name);
    return it == by_name_.end() ? JsonView{} : it->second;
  }

 private:
  std::map<std::string, JsonView, std::less<>> by_name_;
};

// "p(99.9)", "p99.9", "med" -> 99.9, 99.9, 50.
std::optional<double> percent_of(std::string_view key) {
  if (key == "med") return 50;
  if (key.substr(0, 2) == "p(" && key.back() == ')') {
    key = key.substr(2, key.size() - 3);
  } else if (key.size() > 1 && key.front() == 'p') {
    key = key.substr(1);
  } else {
    return std::nullopt;
  }
  const auto percent = parse_decimal(key, kSecond);
  if (!percent || percent->value > 100 * kSecond) return std::nullopt;
  return to_seconds(percent->value);
}

void set_figure(LatencySummary& out, std::string_view key, Figure figure) {
  if (key == "min") out.min = figure;
  if (key == "max") out.max = figure;
  if (key == "avg") out.mean = figure;
  if (const auto percent = percent_of(key)) set_percentile(out, *percent, figure);
}

LatencySummary read_trend(JsonView values) {
  LatencySummary out;
  values.each([&](std::string_view key, JsonView value) {
    if (key == "count") out.count = value.count();
    const auto ms = value.number();
    const auto duration = ms ? duration_of(*ms, kMillisecond) : std::nullopt;
    if (duration) set_figure(out, key, Figure{*duration, kNanosecond});
  });
  return out;
}

// Requests that k6 calls failed. The rate's "passes" are the requests that did fail.
std::optional<std::uint64_t> read_failed(JsonView failed) {
  const JsonView matches = failed["matches"];
  return (matches ? matches : failed["passes"]).count();
}

// Common end of all shapes: which of the two trends is told, and the counts.
void finish(ClientRun& run, std::uint64_t requests, std::optional<std::uint64_t> failed,
            const LatencySummary& all, const LatencySummary& expected) {
  run.tool = "k6";
  run.latency_has_connect = false;
  run.counts.requests = requests;
  run.counts.tool_failed = failed;
  run.latency = all;
  if (failed == std::optional<std::uint64_t>(0)) {
    run.counts.answered = requests;
    run.counts.unanswered = run.counts.http_errors = 0;
  } else {
    run.notes.push_back(
        "k6 counts 4xx and 5xx answers and requests without an answer as one number of failures");
    if (!expected.empty()) {
      run.latency = expected;
      run.notes.push_back(
          "percentiles are those of the expected answers (2xx, 3xx): those of all "
          "hold a duration of 0 for each refused request");
    } else {
      run.notes.push_back(
          "warning: the percentiles may hold a duration of 0 for each request that "
          "got no answer");
    }
  }
  if (requests == 0 || failed == requests) run.latency = {};
  run.notes.push_back("http_req_duration leaves out waiting for a connection and connecting");
}

std::optional<Duration> read_duration(JsonView root, JsonView reqs) {
  if (const auto ms = root["state"]["testRunDurationMs"].number()) {
    return duration_of(*ms, kMillisecond);
  }
  if (const auto seconds = root["config"]["duration"].number()) {
    return duration_of(*seconds, kSecond);
  }
  const auto count = reqs["count"].number(), rate = reqs["rate"].number();
  if (!count || !rate || !(*rate > 0)) return std::nullopt;
  return duration_of(*count / *rate, kSecond);
}

// "avg=1.16ms min=52.92µs med=600.56µs p(90)=2.69ms count=7944" of the report on stdout.
LatencySummary read_text_trend(std::string_view line) {
  LatencySummary out;
  for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) {
    const std::string_view key = next_until(field, '=');
    if (key == "count") out.count = parse_count(field);
    const auto figure = parse_printed_duration(field);
    if (figure && key != "count") set_figure(out, key, *figure);
  }
  return out;
}

// "0.00%  0 out of 7944" since the new summary, before it "0.00%  ✓ 0  ✗ 7944": the first number
// after the percentage is that of the failed ones.
std::optional<std::uint64_t> read_text_failed(std::string_view line) {
  next_field(line);
  for (std::string_view field = next_field(line); !field.empty(); field = next_field(line)) {
    if (const auto count = parse_count(field)) return count;
  }
  return std::nullopt;
}

// Cuts "http_req_duration......: REST" into name and REST.
std::string_view take_name(std::string_view& line) {
  const auto dots = line.find("..");
  const auto colon = line.find(": ", dots == std::string_view::npos ? 0 : dots);
  if (dots == std::string_view::npos || colon == std::string_view::npos) return {};
  const std::string_view name = trim(line.substr(0, dots));
  line.remove_prefix(colon + 1);
  return name;
}

}  // namespace

bool recognise_k6_summary(std::string_view head) {
  return has_line(head, "{") && contains(head, "\"metrics\"") &&
         !contains(head, "\"type\":\"Point\"") &&
         (contains(head, "\"root_group\"") || contains(head, "\"http_req") ||
          contains(head, "\"testRunDurationMs\"") || contains(head, "\"k6_version\""));
}

Result<ClientRun> import_k6_summary(std::string_view text) {
  const JsonDocument document = TRY(JsonDocument::parse_within(text));
  const JsonView root = document.root();
  const Metrics metrics(root);
  const JsonView reqs = metrics["http_reqs"];
  ClientRun run;
  const auto requests = reqs["count"].count();
  if (!requests && reqs) return line_error(1, "http_reqs has no count");
  run.duration = read_duration(root, reqs);
  run.connections = metrics["vus"]["max"].count();
  finish(run, requests.value_or(0), read_failed(metrics["http_req_failed"]),
         read_trend(metrics[kLatency]), read_trend(metrics[kExpected]));
  if (!requests) run.notes.push_back("the summary has no http_reqs: no HTTP request was made");
  return run;
}

bool recognise_k6_text(std::string_view head) {
  return has_line(head, "http_req_duration..") || has_line(head, "http_reqs..");
}

Result<ClientRun> import_k6_text(std::string_view text) {
  ClientRun run;
  std::optional<std::uint64_t> requests, failed;
  LatencySummary all, expected;
  LineReader lines(text);
  std::string_view line;
  bool after_latency = false;
  while (lines.next(line)) {
    line = trim(line);
    // k6 marks thresholds with a tick or a cross in front of the name.
    if (const auto at = line.find("http_req"); at != std::string_view::npos && at <= 4) {
      line.remove_prefix(at);
    }
    const std::string_view name = take_name(line);
    if (name == "http_reqs") {
      requests = parse_count(next_field(line));
      if (!requests) return field_error(lines.number(), "http_reqs", "a count", line);
      const std::string_view rate = next_field(line);
      const auto per_second = parse_decimal(rate.substr(0, rate.find('/')), kSecond);
      if (per_second && per_second->value > Duration{0}) {
        run.duration =
            duration_of(static_cast<double>(*requests) / to_seconds(per_second->value), kSecond);
      }
    } else if (name == kLatency) {
      all = read_text_trend(line);
    } else if (name == "{ expected_response:true }" && after_latency) {
      expected = read_text_trend(line);
    } else if (name == "http_req_failed") {
      failed = read_text_failed(line);
    } else if (name == "vus_max") {
      run.connections = parse_count(next_field(line));
    }
    after_latency = name == kLatency;
  }
  if (!requests) return line_error(lines.number(), "the output ends before the line 'http_reqs'");
  finish(run, *requests, failed, all, expected);
  return run;
}

}  // namespace srvprof::detail
