// Collecting the requests of a run within the limits of loadgen.h, and the figures made of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof {

// Sums up equal error texts; what does not fit kMaxErrorTexts is counted as "other errors".
class ErrorTally {
 public:
  void add(std::string_view text, std::uint64_t count = 1);
  // The most frequent first.
  std::vector<ErrorCount> take();

 private:
  std::map<std::string, std::uint64_t, std::less<>> counts_;
  std::uint64_t other_ = 0;
};

class SampleCollector {
 public:
  // `url` is a URL or a path, empty if not told; `line` names the place in errors. Refused: a start
  // before the zero of the time base, and more than kMaxClientSamples requests.
  Result<void> add(ClientSample sample, std::string_view url, std::size_t line);
  void add_error(std::string_view text) { errors_.add(text); }
  // The request added last; precondition: there is one.
  ClientSample& last() { return samples_.back(); }
  bool empty() const { return samples_.empty(); }

  // Moves all into `run`: samples by start, counts, status, errors, duration (first start to last
  // end), percentiles by nearest rank over the answered ones, with run.latency_resolution. The
  // count of unanswered requests is the failed samples', unless `failures_are_absent`: then it is
  // not known.
  void finish(ClientRun& run, bool failures_are_absent);

 private:
  std::uint32_t path_id(std::string_view path);

  std::vector<ClientSample> samples_;
  std::vector<std::string> paths_{""};
  std::unordered_map<std::string, std::uint32_t> path_ids_;
  bool paths_left_out_ = false;
  ErrorTally errors_;
};

// The samples' summary alone: over those that are not failed, nearest rank.
LatencySummary summarize(const std::vector<ClientSample>& samples, Duration resolution);

// For outputs that may hold several runs of the generator, one after the other (a script that
// starts it twice): each begins with a line that starts with `marker`, blanks aside. One run is
// imported as it is; of several the counts are added up and percentiles left out, and said so.
Result<ClientRun> import_parts(std::string_view text, std::string_view marker,
                               Result<ClientRun> (*import_part)(std::string_view text,
                                                                std::size_t first_line));

// Keeps `percentiles` sorted and each percent once (the last one given wins).
void set_percentile(LatencySummary& summary, double percent, Figure latency);

// Adds `count` answers of `status` (1..999), keeping the order.
void add_status(ClientCounts& counts, std::uint16_t status, std::uint64_t count);

// Fills http_errors from `status` and, where they are known, requests from its parts.
void complete_counts(ClientCounts& counts);

// An HTTP status as printed: 100..999; 0 is taken too (no answer).
std::optional<std::uint16_t> parse_status(std::string_view s);

}  // namespace srvprof
