// vegeta: results as JSON lines and CSV (`vegeta encode`), and its reports.
//
// Facts from its source. The timestamp is when the request was started, by the wall clock; the
// latency, in nanoseconds, includes connecting. Rows come in the order of completion. Code 0: no
// answer; an error beside 200..399: the body did not come whole; an error that only words the
// status: an answer. vegeta's own percentiles include the requests that failed. It is an open
// loop, but starts late when its workers are busy.
#include <algorithm>

#include <fmt/format.h>

#include "loadgen/csv.h"
#include "loadgen/json.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"
#include "loadgen/vegeta_report.h"

namespace srvprof {
namespace {

constexpr std::size_t kFields = 9;  // version 12 writes 12, versions before it 9

struct Row {
  Duration start{}, latency{};
  std::uint16_t code = 0;
  std::string_view error, url;
};

Result<void> add_row(const Row& row, std::size_t line, SampleCollector& samples) {
  ClientSample sample;
  sample.start = row.start;
  sample.latency = row.latency;
  sample.status = row.code;
  sample.failed = row.code == 0 || (row.code < 400 && row.code >= 200 && !row.error.empty());
  if (sample.failed) samples.add_error(row.error);
  return samples.add(sample, row.url, line);
}

ClientRun finish(SampleCollector& samples, bool cut) {
  ClientRun run;
  run.tool = "vegeta";
  run.latency_has_connect = true;
  run.time_base = TimeBase::kWallClock;
  run.time_resolution = run.latency_resolution = kNanosecond;
  samples.finish(run, false);
  run.notes.push_back("vegeta's latency includes the time to connect");
  if (cut) run.notes.push_back("the file ends within a line, which was left out");
  return run;
}

bool recognise_json(std::string_view head) {
  return contains(head, "{\"attack\":") && contains(head, "\"seq\":") &&
         contains(head, "\"latency\":");
}

Result<Row> read_object(JsonView root, std::size_t line) {
  const auto time = root["timestamp"].text();
  const auto start = time ? parse_rfc3339(*time) : std::nullopt;
  if (!start) return field_error(line, "timestamp", "an RFC 3339 time", time.value_or(""));
  const auto ns = root["latency"].number();
  const auto latency = ns ? duration_of(*ns, kNanosecond) : std::nullopt;
  if (!latency) return line_error(line, "latency is not a number of nanoseconds");
  const auto code = root["code"].count();
  if (!code || *code > 999) return line_error(line, "code is not an HTTP status");
  return Row{*start, *latency, static_cast<std::uint16_t>(*code), root["error"].text().value_or(""),
             root["url"].text().value_or("")};
}

Result<ClientRun> import_json(std::string_view text) {
  SampleCollector samples;
  LineReader lines(text);
  std::string_view line;
  const bool open_end = !text.empty() && text.back() != '\n';
  bool cut = false;
  while (lines.next(line)) {
    const std::string_view body = trim(line);
    if (body.empty() || (samples.empty() && body.front() != '{')) continue;
    const bool last = line.data() + line.size() == text.data() + text.size();
    if (open_end && last && body.back() != '}') {
      cut = true;
      break;
    }
    const JsonDocument document = TRY(JsonDocument::parse(body, lines.number()));
    const Row row = TRY(read_object(document.root(), lines.number()));
    TRY(add_row(row, lines.number(), samples));
  }
  return finish(samples, cut);
}

// No header: a line of at least nine fields that begins with nanoseconds of the Unix epoch (17
// digits since 1973), a status and a latency.
bool recognise_csv(std::string_view head) {
  CsvReader csv(head);
  std::vector<std::string_view> row;
  const auto is_record = csv.next(row);
  if (!is_record.ok() || !*is_record) return false;
  if (row.size() < 3) return false;
  const bool whole = row.size() >= kFields || csv.open_end();  // a body may pass the head
  return whole && row[0].size() >= 17 && parse_count(row[0]) && parse_status(row[1]) &&
         parse_count(row[2]);
}

Result<Row> read_row(const std::vector<std::string_view>& row, std::size_t line) {
  if (row.size() < kFields) {
    return line_error(line, fmt::format("{} fields, fewer than {}", row.size(), kFields));
  }
  const auto start = parse_decimal(row[0], kNanosecond);
  if (!start) return field_error(line, "the timestamp", "a number of nanoseconds", row[0]);
  const auto code = parse_status(row[1]);
  if (!code) return field_error(line, "the code", "an HTTP status", row[1]);
  const auto latency = parse_decimal(row[2], kNanosecond);
  if (!latency) return field_error(line, "the latency", "a number of nanoseconds", row[2]);
  return Row{start->value, latency->value, *code, row[5], row.size() > 10 ? row[10] : ""};
}

Result<ClientRun> import_csv(std::string_view text) {
  SampleCollector samples;
  CsvReader csv(text);
  std::vector<std::string_view> row;
  bool cut = false;
  while (TRY(csv.next(row))) {
    if (csv.open_end()) {
      cut = true;
    } else {
      const Row fields = TRY(read_row(row, csv.line()));
      TRY(add_row(fields, csv.line(), samples));
    }
  }
  return finish(samples, cut);
}

constexpr LoadFormat kFormats[] = {
    {.name = "vegeta-json",
     .tool = "vegeta",
     .doc = "vegeta encode (JSON lines)",
     .keeps = "every request: start by the wall clock, latency, status, path, error",
     .recognise = recognise_json,
     .import = import_json},
    {.name = "vegeta-report-json",
     .tool = "vegeta",
     .doc = "vegeta report -type=json",
     .keeps = "counts, status, percentiles, start and end by the wall clock; no single requests",
     .recognise = detail::recognise_vegeta_report_json,
     .import = detail::import_vegeta_report_json},
    {.name = "vegeta-report",
     .tool = "vegeta",
     .doc = "vegeta report",
     .keeps = "counts, status, percentiles; no single requests",
     .recognise = detail::recognise_vegeta_report,
     .import = detail::import_vegeta_report},
    {.name = "vegeta-hdrplot",
     .tool = "vegeta",
     .doc = "vegeta report -type=hdrplot",
     .keeps = "the number of requests, percentiles; no single requests",
     .recognise = detail::recognise_vegeta_hdrplot,
     .import = detail::import_vegeta_hdrplot},
    {.name = "vegeta-csv",
     .tool = "vegeta",
     .doc = "vegeta encode -to csv",
     .keeps = "as vegeta-json",
     .recognise = recognise_csv,
     .import = import_csv},
};

}  // namespace

std::span<const LoadFormat> vegeta_formats() { return kFormats; }

}  // namespace srvprof
