// Plain CSV: a header names the columns, in any order, and each time column's unit. See README.md.
#include "loadgen/plain.h"

#include <fmt/format.h>

#include "base/escape.h"
#include "loadgen/csv.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

// What a column holds.
enum class Role {
  kNone,
  kStart,
  kEnd,
  kDue,
  kLatency,
  kFirstByte,
  kConnect,
  kStatus,
  kPath,
  kConnection,
  kError
};

struct Column {
  Role role = Role::kNone;
  TimeBase base = TimeBase::kNone;  // of instants
  Duration unit{};                  // of times
};

// "latency_us" -> 1 us, leaving "latency"; zero if there is no unit.
Duration take_unit(std::string_view& name) {
  constexpr std::pair<std::string_view, Duration> kSuffixes[] = {
      {"_ns", kNanosecond}, {"_us", kMicrosecond}, {"_ms", kMillisecond}, {"_s", kSecond}};
  for (const auto& [suffix, unit] : kSuffixes) {
    if (!name.ends_with(suffix)) continue;
    name.remove_suffix(suffix.size());
    return unit;
  }
  return {};
}

Column column_of(std::string_view name) {
  Column column;
  if (name == "status") column.role = Role::kStatus;
  if (name == "path" || name == "url") column.role = Role::kPath;
  if (name == "conn") column.role = Role::kConnection;
  if (name == "error") column.role = Role::kError;
  column.unit = take_unit(name);
  if (column.unit == Duration{0}) return column;
  column.base = TimeBase::kToolStart;
  if (name.ends_with("_unix")) {
    column.base = TimeBase::kWallClock;
    name.remove_suffix(5);
  } else if (name.ends_with("_mono")) {
    column.base = TimeBase::kMonotonic;
    name.remove_suffix(5);
  }
  if (name == "start") column.role = Role::kStart;
  if (name == "end") column.role = Role::kEnd;
  if (name == "due") column.role = Role::kDue;
  if (column.role != Role::kNone || column.base != TimeBase::kToolStart) return column;
  if (name == "latency") column.role = Role::kLatency;
  if (name == "ttfb") column.role = Role::kFirstByte;
  if (name == "connect") column.role = Role::kConnect;
  return column;
}

struct Layout {
  std::vector<Column> columns;
  TimeBase base = TimeBase::kNone;
  bool has_status = false, has_path = false, has_error = false;
  std::vector<std::string> ignored;
};

Result<Layout> read_header(const std::vector<std::string_view>& header, std::size_t line) {
  Layout layout;
  std::size_t instants = 0, latencies = 0;
  for (const std::string_view field : header) {
    const std::string_view name = trim(field);
    const Column column = column_of(name);
    layout.columns.push_back(column);
    const bool instant = column.role == Role::kStart || column.role == Role::kEnd;
    instants += instant ? 1 : 0;
    latencies += column.role == Role::kLatency ? 1 : 0;
    if (instant) layout.base = column.base;
    layout.has_status |= column.role == Role::kStatus;
    layout.has_path |= column.role == Role::kPath;
    layout.has_error |= column.role == Role::kError;
    if (column.role == Role::kNone) layout.ignored.push_back(escape_text(name.substr(0, 40)));
  }
  if (instants != 1 || latencies != 1) {
    return line_error(line,
                      "the header must name one start (or end) and one latency, with units: "
                      "start_unix_ns, latency_us");
  }
  for (Column& column : layout.columns) {
    if (column.role == Role::kDue && column.base != layout.base) {
      return line_error(line, "due and start must count from the same zero");
    }
  }
  return layout;
}

// The finest step of any row is that of the file: programs leave out zeros at the end.
void refine(Duration& resolution, Duration step) {
  resolution = resolution == Duration{0} ? step : std::min(resolution, step);
}

class Rows {
 public:
  explicit Rows(Layout layout) : layout_(std::move(layout)) { run_.time_base = layout_.base; }

  Result<void> add(const std::vector<std::string_view>& row, std::size_t line) {
    if (row.size() != layout_.columns.size()) {
      return line_error(line, fmt::format("{} fields, not {}", row.size(), layout_.columns.size()));
    }
    ClientSample sample;
    sample.latency = kNotTold;
    Duration instant{};
    bool instant_is_end = false;
    std::string_view path, error;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Column& column = layout_.columns[i];
      const std::string_view field = trim(row[i]);
      if (column.role == Role::kPath) path = field;
      if (column.role == Role::kError) error = field;
      if (column.role == Role::kStart || column.role == Role::kEnd) {
        const auto figure = parse_decimal(field, column.unit);
        if (!figure) return field_error(line, "the start or end", "a number", field);
        refine(run_.time_resolution, figure->resolution);
        instant = figure->value;
        instant_is_end = column.role == Role::kEnd;
      } else {
        TRY(read_field(column, field, line, sample));
      }
    }
    sample.failed = (layout_.has_status && sample.status == 0) || !error.empty();
    if (sample.failed) samples_.add_error(error.empty() ? "no status" : error);
    if (!sample.failed && sample.latency == kNotTold) {
      return line_error(line, "an answered request has no latency");
    }
    const Duration back =
        instant_is_end && sample.latency != kNotTold ? sample.latency : Duration{};
    sample.start = instant - back;
    return samples_.add(sample, path, line);
  }

  ClientRun finish() {
    run_.tool = "home-made";
    samples_.finish(run_, false);
    if (run_.time_base == TimeBase::kToolStart) {
      run_.notes.push_back("the starts count from the generator's own start");
    }
    if (!layout_.has_status && !layout_.has_error) {
      run_.notes.push_back("the file has no status: all requests are taken as answered");
    }
    if (!layout_.ignored.empty()) {
      run_.notes.push_back(fmt::format("columns not used: {}", fmt::join(layout_.ignored, ", ")));
    }
    return std::move(run_);
  }

 private:
  Result<void> read_field(const Column& column, std::string_view field, std::size_t line,
                          ClientSample& sample) {
    if (column.role == Role::kStatus) {
      const auto status = field.empty() ? std::uint16_t{0} : parse_status(field);
      if (!status) return field_error(line, "status", "an HTTP status", field);
      sample.status = *status;
    }
    if (column.role == Role::kConnection) {
      const auto connection = parse_number<std::uint32_t>(field);
      if (!connection) return field_error(line, "conn", "a number", field);
      sample.connection = *connection;
    }
    Duration* time = nullptr;
    if (column.role == Role::kLatency) time = &sample.latency;
    if (column.role == Role::kFirstByte) time = &sample.first_byte;
    if (column.role == Role::kConnect) time = &sample.connect;
    if (column.role == Role::kDue) time = &sample.due;
    if (time == nullptr || field.empty()) return {};
    const auto figure = parse_decimal(field, column.unit);
    if (!figure) return field_error(line, "a time", "a number", field);
    if (column.role == Role::kLatency) refine(run_.latency_resolution, figure->resolution);
    *time = figure->value;
    return {};
  }

  Layout layout_;
  ClientRun run_;
  SampleCollector samples_;
};

// The first line that is no comment must name a latency and an instant.
bool recognise(std::string_view head) {
  std::string_view line;
  while (next_line(head, line)) {
    if (trim(line).empty() || trim(line).front() == '#') continue;
    CsvReader csv(line);
    std::vector<std::string_view> header;
    const auto got = csv.next(header);
    return got.ok() && *got && read_header(header, 1).ok();
  }
  return false;
}

constexpr LoadFormat kFormats[] = {
    {.name = "csv",
     .tool = "home-made",
     .doc = "plain CSV of a home-made generator: start_unix_ns,latency_ns,status,path and others",
     .keeps = "every request: start, latency, first byte, connect, due time, status, path, "
              "connection, error, as far as there are columns",
     .recognise = recognise,
     .import = detail::import_plain_csv},
};

}  // namespace

namespace detail {

Result<ClientRun> import_plain_csv(std::string_view text) {
  // Comments stand before the header only: a path may begin with '#'.
  std::size_t first_line = 1;
  std::string_view line, rest = text;
  while (next_line(rest, line) && (trim(line).empty() || trim(line).front() == '#')) {
    text = rest;
    ++first_line;
  }
  CsvReader csv(text, ',', first_line);
  std::vector<std::string_view> row;
  if (!TRY(csv.next(row))) return line_error(csv.line(), "there is no header");
  Rows rows(TRY(read_header(row, csv.line())));
  while (TRY(csv.next(row))) TRY(rows.add(row, csv.line()));
  return rows.finish();
}

}  // namespace detail

std::span<const LoadFormat> plain_formats() { return kFormats; }

}  // namespace srvprof
