// autocannon: JSON (-j), the tables that it draws on stderr, and the single requests that a script
// around its API wrote.
//
// Facts from its source. Latencies are whole milliseconds, cut off. Only those of 2xx answers enter
// the percentiles (unless asked otherwise), but all answers count. With -R (a rate) it adds
// latencies to its histogram that it never measured, unless --ignoreCoordinatedOmission. The total
// of the table is what was sent, rounded to thousands. Connecting is no part of a latency.
#include <fmt/format.h>

#include "loadgen/autocannon_table.h"
#include "loadgen/json.h"
#include "loadgen/loadgen.h"
#include "loadgen/plain.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

constexpr std::string_view kStepNote = "autocannon counts whole milliseconds, cut off";

bool recognise_json(std::string_view head) {
  return contains(head, "\"2xx\":") && contains(head, "\"non2xx\":") &&
         contains(head, "\"latency\":");
}

bool recognise_raw(std::string_view head) {
  return has_line(head, "end_unix_ms,latency_ms,status,bytes");
}

LatencySummary read_latency(JsonView latency) {
  LatencySummary out;
  latency.each([&](std::string_view key, JsonView value) {
    const auto ms = value.number();
    const auto duration = ms ? duration_of(*ms, kMillisecond) : std::nullopt;
    if (!duration) return;
    if (key == "min") out.min = Figure{*duration, kMillisecond};
    if (key == "max") out.max = Figure{*duration, kMillisecond};
    if (key == "mean") out.mean = Figure{*duration, kMillisecond};
    if (key == "stddev") out.stddev = Figure{*duration, kMillisecond};
    if (key.size() < 2 || key.front() != 'p') return;
    std::string percent(key.substr(1));  // "p97_5"
    if (const auto at = percent.find('_'); at != std::string::npos) percent[at] = '.';
    const auto parsed = parse_decimal(percent, kSecond);
    if (parsed && parsed->value <= 100 * kSecond) {
      set_percentile(out, to_seconds(parsed->value), Figure{*duration, kMillisecond});
    }
  });
  out.count = latency["totalCount"].count();
  return out;
}

Result<void> read_counts(JsonView root, ClientRun& run) {
  bool bad = false;
  const auto need = [&](JsonView value) {
    const auto count = value.count();
    bad |= !count.has_value();
    return count.value_or(0);
  };
  ClientCounts& counts = run.counts;
  counts.answered = need(root["requests"]["total"]);
  counts.unanswered = need(root["errors"]);
  counts.timeouts = need(root["timeouts"]);
  counts.http_errors = need(root["4xx"]) + need(root["5xx"]);
  if (bad) return line_error(1, "a count is missing or is not a whole number");
  root["statusCodeStats"].each([&](std::string_view key, JsonView value) {
    const auto status = parse_status(key);
    const auto count = value["count"].count();
    if (status && *status != 0 && count) add_status(counts, *status, *count);
  });
  if (*counts.unanswered > *counts.timeouts) {
    counts.errors.push_back({"errors other than timeouts", *counts.unanswered - *counts.timeouts});
  }
  if (*counts.timeouts > 0) counts.errors.push_back({"timeouts", *counts.timeouts});
  complete_counts(counts);
  return {};
}

Result<ClientRun> import_json(std::string_view text) {
  const JsonDocument document = TRY(JsonDocument::parse_within(text));
  const JsonView root = document.root();
  ClientRun run;
  run.tool = "autocannon";
  run.latency_has_connect = false;
  run.target = clean_url(root["url"].text().value_or(""));
  run.connections = root["connections"].count();
  run.threads = root["workers"].count();
  TRY(read_counts(root, run));
  run.latency = read_latency(root["latency"]);
  if (run.latency.count == 0u) run.latency = {};
  const auto seconds = root["duration"].number();
  run.duration = seconds ? duration_of(*seconds, kSecond) : std::nullopt;
  if (const auto at = root["start"].text()) run.started = parse_rfc3339(*at);
  if (const auto at = root["finish"].text()) run.finished = parse_rfc3339(*at);
  run.notes.emplace_back(kStepNote);
  const auto ok = root["2xx"].count(), held = run.latency.count;
  if (held && ok && *held > *run.counts.answered) {
    run.kind = LatencyKind::kCorrected;
    run.notes.push_back(fmt::format(
        "autocannon added {} latencies that it never measured to its histogram (a rate was given)",
        *held - *run.counts.answered));
  } else if (held && *held < *run.counts.answered) {
    run.notes.push_back(
        fmt::format("the percentiles hold the {} answers with status 2xx and leave out {} others",
                    *held, *run.counts.answered - *held));
  }
  const auto sent = root["requests"]["sent"].count();
  const auto done = *run.counts.requests;
  if (sent && *sent > done) {
    run.notes.push_back(
        fmt::format("{} requests sent were still open when it stopped", *sent - done));
  }
  return run;
}

Result<ClientRun> import_raw(std::string_view text) {
  ClientRun run = TRY(detail::import_plain_csv(text));
  run.tool = "autocannon";
  run.latency_has_connect = false;
  run.notes.push_back("the requests are those that a script around autocannon's API wrote");
  run.notes.push_back("failed requests are not in it: their number is not known");
  run.counts.requests.reset();
  run.counts.unanswered.reset();
  return run;
}

constexpr LoadFormat kFormats[] = {
    {.name = "autocannon-json",
     .tool = "autocannon",
     .doc = "autocannon -j",
     .keeps =
         "counts, status, errors, percentiles in whole ms, start and end by the wall clock; no "
         "single requests",
     .recognise = recognise_json,
     .import = import_json},
    {.name = "autocannon",
     .tool = "autocannon",
     .doc = "autocannon [--renderLatencyTable]: the tables on stderr",
     .keeps = "counts rounded to thousands, percentiles in whole ms; no single requests",
     .recognise = detail::recognise_autocannon_table,
     .import = detail::import_autocannon_table},
    {.name = "autocannon-csv",
     .tool = "autocannon",
     .doc = "a script around autocannon's API: columns end_unix_ms,latency_ms,status,bytes",
     .keeps = "every answered request: end by the wall clock, latency, status; not: paths",
     .recognise = recognise_raw,
     .import = import_raw},
};

}  // namespace

std::span<const LoadFormat> autocannon_formats() { return kFormats; }

}  // namespace srvprof
