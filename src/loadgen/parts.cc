// Outputs that hold several runs.
#include <algorithm>

#include <fmt/format.h>

#include "loadgen/loadgen.h"
#include "loadgen/samples.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

struct Part {
  std::string_view text;
  std::size_t first_line = 1;
};

constexpr std::size_t kMaxParts = 1000;

// Lines before the first marker belong to the first part: an error may stand there.
std::vector<Part> split_parts(std::string_view text, std::string_view marker) {
  std::vector<Part> parts{{text, 1}};
  bool seen = false;
  LineReader lines(text);
  std::string_view line;
  while (lines.next(line)) {
    const std::string_view start = trim(line).substr(0, marker.size());
    if (start != marker) continue;
    if (!seen) {
      seen = true;
      continue;
    }
    const auto at = static_cast<std::size_t>(line.data() - text.data());
    Part& last = parts.back();
    const auto last_at = static_cast<std::size_t>(last.text.data() - text.data());
    last.text = text.substr(last_at, at - last_at);
    parts.push_back({text.substr(at), lines.number()});
    if (parts.size() > kMaxParts) break;
  }
  return parts;
}

void add_optional(std::optional<std::uint64_t>& sum, std::optional<std::uint64_t> more) {
  if (sum && more) {
    *sum += *more;
  } else {
    sum.reset();
  }
}

void add_counts(ClientCounts& sum, const ClientCounts& more) {
  add_optional(sum.requests, more.requests);
  add_optional(sum.answered, more.answered);
  add_optional(sum.unanswered, more.unanswered);
  add_optional(sum.tool_failed, more.tool_failed);
  add_optional(sum.timeouts, more.timeouts);
  add_optional(sum.http_errors, more.http_errors);
  sum.rounded_to = std::max(sum.rounded_to, more.rounded_to);
  for (const StatusCount& s : more.status) add_status(sum, s.status, s.count);
  ErrorTally tally;
  for (const ErrorCount& e : sum.errors) tally.add(e.text, e.count);
  for (const ErrorCount& e : more.errors) tally.add(e.text, e.count);
  sum.errors = tally.take();
}

}  // namespace

Result<ClientRun> import_parts(std::string_view text, std::string_view marker,
                               Result<ClientRun> (*import_part)(std::string_view text,
                                                                std::size_t first_line)) {
  const std::vector<Part> parts = split_parts(text, marker);
  if (parts.size() > kMaxParts) {
    return line_error(parts.back().first_line, fmt::format("more than {} runs", kMaxParts));
  }
  ClientRun sum = TRY(import_part(parts.front().text, parts.front().first_line));
  if (parts.size() == 1) return sum;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const ClientRun more = TRY(import_part(parts[i].text, parts[i].first_line));
    add_counts(sum.counts, more.counts);
    sum.duration = sum.duration && more.duration && *sum.duration + *more.duration <= kMaxDuration
                       ? std::optional(*sum.duration + *more.duration)
                       : std::nullopt;
    if (more.target != sum.target) sum.target.clear();
    if (more.connections != sum.connections) sum.connections.reset();
    if (more.threads != sum.threads) sum.threads.reset();
    for (const std::string& note : more.notes) {
      if (std::find(sum.notes.begin(), sum.notes.end(), note) == sum.notes.end()) {
        sum.notes.push_back(note);
      }
    }
  }
  sum.latency = {};
  sum.as_sent.reset();
  sum.notes.insert(sum.notes.begin(),
                   fmt::format("the output holds {} runs: their counts and durations are added up, "
                               "their percentiles cannot be and are left out",
                               parts.size()));
  return sum;
}

}  // namespace srvprof
