// k6: `--out json` and `--out csv`, one point a metric and request. For its summaries see
// k6_summary.cc. k6 is AGPL: this was written from its documentation and its output alone.
//
// The time of a point is the END of its request: sending began http_req_duration before it. The
// time blocked (waiting for a connection, connecting included) lies before that and is no part of
// the duration. Failed requests have duration 0 and status "0". The points of one request follow
// each other and bear the same time.
#include <cmath>

#include <fmt/format.h>

#include "loadgen/csv.h"
#include "loadgen/json.h"
#include "loadgen/k6.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr std::string_view kDuration = "http_req_duration";
constexpr std::string_view kPrefix = "http_req_";

struct Point {
  std::string_view metric;
  Duration end{};    // since the Unix epoch
  Duration value{};  // of the metrics that are times
  std::string_view status, url, error, error_code;
};

// Puts the points of requests together.
class Points {
 public:
  Result<void> add(const Point& point, std::size_t line) {
    if (point.metric == kDuration) return add_request(point, line);
    if (samples_.empty() || point.end != end_) return {};
    ClientSample& last = samples_.last();
    if (last.failed) return {};
    if (point.metric == "http_req_blocked") last.connect = point.value;
    if (point.metric == "http_req_sending") sending_ = point.value;
    // k6 writes sending before waiting.
    if (point.metric == "http_req_waiting") last.first_byte = sending_ + point.value;
    return {};
  }

  void finish(ClientRun& run, bool cut) {
    run.tool = "k6";
    run.time_base = TimeBase::kWallClock;
    run.latency_resolution = kNanosecond;
    run.latency_has_connect = false;
    samples_.finish(run, false);
    run.notes.push_back(
        "k6 writes when a request ended: the start is that time less http_req_duration, connecting "
        "lies before it");
    if (status_missing_) {
      run.notes.push_back(
          "the file has no status of the requests: a request failed if it has an "
          "error code");
    }
    if (cut) run.notes.push_back("the file ends within a line, which was left out");
  }

 private:
  Result<void> add_request(const Point& point, std::size_t line) {
    const auto status = parse_status(point.status);
    if (!status && !point.status.empty()) {
      return field_error(line, "status", "an HTTP status", point.status);
    }
    ClientSample sample;
    sample.status = status.value_or(0);
    sample.failed = status ? *status == 0 : !point.error_code.empty();
    status_missing_ |= !status;
    if (sample.failed) {
      samples_.add_error(point.error.empty() ? point.error_code : point.error);
    }
    sample.latency = sample.failed && point.value == Duration{0} ? kNotTold : point.value;
    sample.start = point.end - point.value;
    end_ = point.end;
    sending_ = Duration{0};
    return samples_.add(sample, point.url, line);
  }

  SampleCollector samples_;
  Duration end_{};
  Duration sending_{};
  bool status_missing_ = false;
};

bool wanted(std::string_view metric) {
  return metric == kDuration || metric == "http_req_blocked" || metric == "http_req_sending" ||
         metric == "http_req_waiting";
}

bool recognise_json(std::string_view head) {
  const bool point = contains(head, "\"type\":\"Point\"") || contains(head, "\"type\":\"Metric\"");
  return point && contains(head, "\"metric\":\"");
}

// Most points are of metrics that say nothing of latency: they are not parsed.
bool may_be_wanted(std::string_view line) {
  return contains(line, kPrefix) && contains(line, "\"Point\"");
}

Result<void> read_point(std::string_view line, std::size_t number, Points& points) {
  const JsonDocument document = TRY(JsonDocument::parse(line, number));
  const JsonView root = document.root(), data = root["data"], tags = data["tags"];
  const auto metric = root["metric"].text();
  if (!metric || !wanted(*metric)) return {};
  const auto time = data["time"].text();
  const auto end = time ? parse_rfc3339(*time) : std::nullopt;
  if (!end) return field_error(number, "data.time", "an RFC 3339 time", time.value_or(""));
  const auto ms = data["value"].number();
  const auto value = ms ? duration_of(*ms, kMillisecond) : std::nullopt;
  if (!value) return line_error(number, "data.value is not a number of milliseconds");
  Point point{.metric = *metric,
              .end = *end,
              .value = *value,
              .status = {},
              .url = {},
              .error = {},
              .error_code = {}};
  point.status = tags["status"].text().value_or("");
  point.url = tags["url"].text().value_or(tags["name"].text().value_or(""));
  point.error = tags["error"].text().value_or("");
  point.error_code = tags["error_code"].text().value_or("");
  return points.add(point, number);
}

Result<ClientRun> import_json(std::string_view text) {
  Points points;
  LineReader lines(text);
  std::string_view line;
  const bool open_end = !text.empty() && text.back() != '\n';
  bool cut = false, seen = false;
  while (lines.next(line)) {
    const std::string_view body = trim(line);
    if (body.empty()) continue;
    const bool last = line.data() + line.size() == text.data() + text.size();
    if (body.front() != '{') {
      if (seen) return line_error(lines.number(), "not a JSON object");
      continue;  // other output before the first point
    }
    if (open_end && last && body.back() != '}') {
      cut = true;
      break;
    }
    seen = true;
    if (body.back() != '}') return line_error(lines.number(), "JSON ends within the line");
    if (may_be_wanted(body)) TRY(read_point(body, lines.number(), points));
  }
  ClientRun run;
  run.time_resolution = kNanosecond;
  points.finish(run, cut);
  return run;
}

bool recognise_csv(std::string_view head) {
  return has_line(head, "metric_name,timestamp,metric_value");
}

struct Columns {
  std::size_t metric = 0, time = 0, value = 0, count = 0;
  std::optional<std::size_t> status, url, name, error, error_code;
};

Result<Columns> read_header(const std::vector<std::string_view>& header, std::size_t line) {
  const auto metric = find_column(header, {"metric_name"});
  const auto time = find_column(header, {"timestamp"});
  const auto value = find_column(header, {"metric_value"});
  if (!metric || !time || !value) {
    return line_error(line, "the columns metric_name, timestamp, metric_value are not all there");
  }
  Columns columns{.metric = *metric,
                  .time = *time,
                  .value = *value,
                  .count = header.size(),
                  .status = {},
                  .url = {},
                  .name = {},
                  .error = {},
                  .error_code = {}};
  columns.status = find_column(header, {"status"});
  columns.url = find_column(header, {"url"});
  columns.name = find_column(header, {"name"});
  columns.error = find_column(header, {"error"});
  columns.error_code = find_column(header, {"error_code"});
  return columns;
}

// K6_CSV_TIME_FORMAT: unix (the default), unix_milli, unix_micro, unix_nano, rfc3339,
// rfc3339_nano. Numbers are told apart by their size: 10^11 s is the year 5138, 10^11 ms is 1973.
std::optional<Figure> read_time(std::string_view s) {
  const auto number = parse_count(s);
  if (!number) {
    const auto time = parse_rfc3339(s);
    const bool fraction = contains(s, ".");
    return time ? std::optional(Figure{*time, fraction ? kNanosecond : kSecond}) : std::nullopt;
  }
  Duration unit = kNanosecond;
  if (*number < 100'000'000'000) {
    unit = kSecond;
  } else if (*number < 100'000'000'000'000) {
    unit = kMillisecond;
  } else if (*number < 100'000'000'000'000'000) {
    unit = kMicrosecond;
  }
  return parse_decimal(s, unit);
}

Result<void> read_row(const std::vector<std::string_view>& row, const Columns& columns,
                      std::size_t line, ClientRun& run, Points& points) {
  if (row.size() != columns.count) {
    return line_error(line, fmt::format("{} fields, not {}", row.size(), columns.count));
  }
  if (!wanted(row[columns.metric])) return {};
  const auto field = [&](std::optional<std::size_t> at) { return at ? row[*at] : ""; };
  const auto time = read_time(row[columns.time]);
  if (!time) return field_error(line, "timestamp", "a time", row[columns.time]);
  const auto value = parse_decimal(row[columns.value], kMillisecond);
  if (!value) return field_error(line, "metric_value", "a number of ms", row[columns.value]);
  run.time_resolution = std::max(run.time_resolution, time->resolution);
  Point point{.metric = row[columns.metric],
              .end = time->value,
              .value = value->value,
              .status = field(columns.status),
              .url = field(columns.url),
              .error = field(columns.error),
              .error_code = field(columns.error_code)};
  if (point.url.empty()) point.url = field(columns.name);
  return points.add(point, line);
}

Result<ClientRun> import_csv(std::string_view text) {
  CsvReader csv(text);
  std::vector<std::string_view> row;
  std::optional<Columns> columns;
  ClientRun run;
  Points points;
  bool cut = false;
  while (TRY(csv.next(row))) {
    if (!columns) {
      if (trim(row[0]) == "metric_name") columns = TRY(read_header(row, csv.line()));
    } else if (csv.open_end()) {
      cut = true;
    } else {
      TRY(read_row(row, *columns, csv.line(), run, points));
    }
  }
  if (!columns) return line_error(csv.line(), "there is no header 'metric_name,...'");
  points.finish(run, cut);
  if (run.time_resolution >= kSecond) {
    run.notes.push_back(
        "the times are whole seconds: set K6_CSV_TIME_FORMAT=unix_micro (or --out json) to join "
        "single requests");
  }
  return run;
}

constexpr LoadFormat kFormats[] = {
    {.name = "k6-json",
     .tool = "k6",
     .doc = "k6 run --out json=FILE",
     .keeps = "every request: start (from its end), latency, time blocked, first byte, status, "
              "path, errors",
     .recognise = recognise_json,
     .import = import_json},
    {.name = "k6-csv",
     .tool = "k6",
     .doc = "k6 run --out csv=FILE, best with K6_CSV_TIME_FORMAT=unix_micro",
     .keeps = "as k6-json; by default the times are whole seconds",
     .recognise = recognise_csv,
     .import = import_csv},
    {.name = "k6-summary",
     .tool = "k6",
     .doc = "k6 run --summary-export=FILE, or the object that handleSummary() gets, as JSON",
     .keeps = "counts, those percentiles that summaryTrendStats asked for; no single requests",
     .recognise = detail::recognise_k6_summary,
     .import = detail::import_k6_summary},
    {.name = "k6",
     .tool = "k6",
     .doc = "k6 run: the report on stdout",
     .keeps = "counts, percentiles to two decimals of their unit; no single requests",
     .recognise = detail::recognise_k6_text,
     .import = detail::import_k6_text},
};

}  // namespace

std::span<const LoadFormat> k6_formats() { return kFormats; }

}  // namespace srvprof
