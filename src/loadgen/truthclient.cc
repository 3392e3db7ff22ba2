// truthclient, the client that this project checks itself with (tests/load): its own readings of
// CLOCK_MONOTONIC, the clock of recordings, so that requests join without any alignment.
#include <fmt/format.h>

#include "loadgen/csv.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr std::string_view kHeader =
    "id,send_ns,recv_ns,status,conn,first_ns,due_ns,mix,bytes,first_of_conn";
constexpr std::size_t kFields = 10;

bool recognise(std::string_view head) { return has_line(head, kHeader); }

Result<ClientSample> read_row(const std::vector<std::string_view>& row, std::size_t line) {
  if (row.size() != kFields) {
    return line_error(line, fmt::format("{} fields, not {}", row.size(), kFields));
  }
  std::optional<Figure> time[4];
  const std::size_t columns[4] = {1, 2, 5, 6};  // send, recv, first, due
  for (std::size_t i = 0; i < 4; ++i) {
    time[i] = parse_decimal(row[columns[i]], kNanosecond);
    if (!time[i]) return field_error(line, "a time", "a number of nanoseconds", row[columns[i]]);
  }
  const Duration send = time[0]->value, received = time[1]->value, first = time[2]->value,
                 due = time[3]->value;
  const auto status = parse_status(row[3]);
  const auto connection = parse_number<std::uint32_t>(row[4]);
  if (!status) return field_error(line, "status", "an HTTP status", row[3]);
  if (!connection) return field_error(line, "conn", "a number", row[4]);
  ClientSample sample;
  sample.start = send;
  sample.status = *status;
  sample.connection = *connection;
  sample.failed = received == Duration{0};  // no whole answer came
  if (!sample.failed && (received < send || *status == 0)) {
    return line_error(line, "the answer comes before the request or has no status");
  }
  sample.latency = sample.failed ? kNotTold : received - send;
  if (first >= send) sample.first_byte = first - send;
  if (due > Duration{0}) sample.due = due;
  return sample;
}

Result<ClientRun> import_csv(std::string_view text) {
  CsvReader csv(text);
  std::vector<std::string_view> row;
  SampleCollector samples;
  bool header = false, cut = false;
  while (TRY(csv.next(row))) {
    if (!header) {
      header = row[0] == "id";
    } else if (csv.open_end()) {
      cut = true;
    } else {
      const ClientSample sample = TRY(read_row(row, csv.line()));
      if (sample.failed) samples.add_error("no whole answer");
      TRY(samples.add(sample, {}, csv.line()));
    }
  }
  ClientRun run;
  run.tool = "truthclient";
  run.latency_has_connect = false;
  run.time_base = TimeBase::kMonotonic;
  run.time_resolution = run.latency_resolution = kNanosecond;
  samples.finish(run, false);
  if (cut) run.notes.push_back("the file ends within a line, which was left out");
  return run;
}

constexpr LoadFormat kFormats[] = {
    {.name = "truthclient",
     .tool = "truthclient",
     .doc = "truthclient -csv FILE (tests/load)",
     .keeps = "every request: start by CLOCK_MONOTONIC, latency, first byte, due time, status, "
              "connection",
     .recognise = recognise,
     .import = import_csv},
};

}  // namespace

std::span<const LoadFormat> truthclient_formats() { return kFormats; }

}  // namespace srvprof
