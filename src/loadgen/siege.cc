// siege: its JSON on stdout, and the report on stderr.
//
// Facts from its source, and from runs of 4.0.7 whose servers counted. JSON and versions before 4.1.7 print
// hundredths of a second, so most latencies are 0.00; later ones print the report's in milliseconds. There are
// no percentiles. A transaction is an answer below 500, a successful one below 400; "failed" are 5xx and lost
// requests together, which are no transactions.
#include <fmt/format.h>

#include "loadgen/json.h"
#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr Duration kStep{10'000'000};
constexpr std::uint64_t kMostRequests = std::uint64_t{1} << 53;

bool recognise_json(std::string_view head) {
  return contains(head, "\"transactions\"") && contains(head, "\"longest_transaction\"");
}
bool recognise_text(std::string_view head) {
  return has_line(head, "Transactions:") && has_line(head, "Longest transaction:");
}

void finish(ClientRun& run, std::uint64_t transactions, std::optional<std::uint64_t> successful) {
  run.tool = "siege";
  ClientCounts& counts = run.counts;
  const std::uint64_t failed = counts.tool_failed.value_or(0);
  if (transactions == 0) run.latency = {};
  if (failed > kMostRequests - std::min(transactions, kMostRequests)) {
    counts.tool_failed = std::nullopt;
    run.notes.push_back("siege's counts are too large to be true");
    return;
  }
  counts.requests = transactions + failed;
  if (failed == 0) {
    counts.answered = transactions;
    counts.unanswered = 0;
    if (successful && *successful <= transactions) counts.http_errors = transactions - *successful;
  } else {
    run.notes.push_back("siege counts 5xx answers and lost requests as one number of failures");
  }
  if (run.latency.max && run.latency.max->resolution >= kStep) {
    run.notes.push_back("siege prints hundredths of a second");
  }
  run.notes.push_back("siege tells no percentiles");
}

Result<ClientRun> import_json(std::string_view text) {
  const JsonDocument document = TRY(JsonDocument::parse_within(text));
  const JsonView root = document.root();
  ClientRun run;
  const auto figure = [&](std::string_view key) -> std::optional<Figure> {
    const auto seconds = root[key].number();
    const auto duration = seconds ? duration_of(*seconds, kSecond) : std::nullopt;
    return duration ? std::optional(Figure{*duration, kStep}) : std::nullopt;
  };
  const auto transactions = root["transactions"].count();
  run.counts.tool_failed = root["failed_transactions"].count();
  const auto elapsed = figure("elapsed_time");
  if (!transactions || !run.counts.tool_failed || !elapsed) {
    return line_error(1, "transactions, failed_transactions or elapsed_time is not a number");
  }
  run.duration = elapsed->value;
  run.latency.mean = figure("response_time");
  run.latency.max = figure("longest_transaction");
  run.latency.min = figure("shortest_transaction");
  finish(run, *transactions, root["successful_transactions"].count());
  return run;
}

// "0.04 secs" or "12.34 ms".
std::optional<Figure> read_time(std::string_view value) {
  const std::string_view number = next_field(value);
  const std::string_view unit = next_field(value);
  return parse_decimal(number, unit == "ms" ? kMillisecond : kSecond);
}

Result<ClientRun> import_part(std::string_view text, std::size_t first_line) {
  ClientRun run;
  std::optional<std::uint64_t> transactions, successful;
  LineReader lines(text, first_line);
  std::string_view line;
  while (lines.next(line)) {
    std::string_view value = trim(line);
    const std::string_view key = next_until(value, ':');
    std::optional<std::uint64_t>* count = nullptr;
    if (key == "Transactions") count = &transactions;
    if (key == "Successful transactions") count = &successful;
    if (key == "Failed transactions") count = &run.counts.tool_failed;
    if (count != nullptr) {
      *count = parse_count(next_field(value));
      if (!*count) return field_error(lines.number(), key, "a count", value);
    }
    if (key == "Response time") run.latency.mean = read_time(value);
    if (key == "Longest transaction") run.latency.max = read_time(value);
    if (key == "Shortest transaction") run.latency.min = read_time(value);
    if (key == "Elapsed time") {
      const auto elapsed = read_time(value);
      if (!elapsed) return field_error(lines.number(), key, "a number of seconds", value);
      run.duration = elapsed->value;
    }
  }
  if (!transactions || !run.counts.tool_failed || !run.duration) {
    return line_error(lines.number(), "the output ends before 'Failed transactions:'");
  }
  finish(run, *transactions, successful);
  return run;
}

Result<ClientRun> import_text(std::string_view text) {
  return import_parts(text, "Transactions:", import_part);
}

constexpr LoadFormat kFormats[] = {
    {.name = "siege-json",
     .tool = "siege",
     .doc = "siege: the JSON on stdout",
     .keeps = "counts, mean, min and max to 10 ms; no percentiles, no single requests",
     .recognise = recognise_json,
     .import = import_json},
    {.name = "siege",
     .tool = "siege",
     .doc = "siege: the report on stderr",
     .keeps = "counts, mean, min and max; no percentiles, no single requests",
     .recognise = recognise_text,
     .import = import_text},
};

}  // namespace

std::span<const LoadFormat> siege_formats() { return kFormats; }

}  // namespace srvprof
