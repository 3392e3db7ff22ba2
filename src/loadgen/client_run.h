// What a load generator said about its own run, as plain data: the client's side of the comparison.
//
// Facts that the output does not hold are absent (an empty optional, kNotTold), never zero. What
// the format hides, rounds or bends is said in `notes`.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace srvprof {

// A duration or instant of a ClientSample that the format does not tell.
inline constexpr Duration kNotTold{-1};
inline constexpr std::uint32_t kNoConnection = std::numeric_limits<std::uint32_t>::max();

// What ClientSample::start counts from.
enum class TimeBase {
  kNone,       // no samples
  kWallClock,  // the Unix epoch
  kMonotonic,  // the zero of CLOCK_MONOTONIC of the generator's machine: the clock of recordings
  kToolStart,  // the generator's own start: must be aligned before it can be joined
};

// What a latency of the summary is measured from.
enum class LatencyKind {
  kAsSent,      // the request was sent (a closed loop omits what it should have sent in a stall)
  kAsIntended,  // the request was due by the schedule of an open loop
  kCorrected,   // measured as sent, then bent by the tool, which added samples never measured
};

// A time as it was printed. The true value lies within `resolution` of it.
struct Figure {
  Duration value{};
  Duration resolution{};

  friend bool operator==(const Figure&, const Figure&) = default;
};

struct ClientPercentile {
  double percent = 0;  // in [0, 100]
  Figure latency;
};

struct LatencySummary {
  std::optional<Figure> min, mean, stddev, max;
  std::vector<ClientPercentile> percentiles;  // by rising percent, each once
  // How many latencies it is made of, where the output says so.
  std::optional<std::uint64_t> count;

  bool empty() const { return !min && !mean && !max && percentiles.empty(); }
};

// `status` 0 does not occur: requests without an answer are `unanswered`.
struct StatusCount {
  std::uint16_t status = 0;
  std::uint64_t count = 0;
};

struct ErrorCount {
  std::string text;  // as the tool worded it, at most kMaxErrorText bytes
  std::uint64_t count = 0;
};

struct ClientCounts {
  // Requests that the tool counts as made: `answered` + `unanswered` where both are known.
  std::optional<std::uint64_t> requests;
  // A whole answer came, of any status: what a server counts as answered.
  std::optional<std::uint64_t> answered;
  // No whole answer came: refused, reset, timed out, unreadable.
  std::optional<std::uint64_t> unanswered;
  // What the tool calls failed, where it mixes unanswered requests with answers it does not like.
  std::optional<std::uint64_t> tool_failed;
  std::optional<std::uint64_t> timeouts;     // part of `unanswered` unless a note says otherwise
  std::optional<std::uint64_t> http_errors;  // part of `answered`: status >= 400
  // 1, or what `requests` was rounded to ("33k requests": 1000).
  std::uint64_t rounded_to = 1;
  std::vector<StatusCount> status;  // by rising status
  std::vector<ErrorCount> errors;   // at most kMaxErrorTexts
};

struct ClientSample {
  Duration start{};  // since the zero of ClientRun::time_base
  Duration latency{};
  Duration first_byte = kNotTold;  // from start to the first byte of the answer
  // Time for DNS, connecting and, in k6, waiting for a free connection. Part of `latency` if
  // ClientRun::latency_has_connect, else it lies before `start`.
  Duration connect = kNotTold;
  Duration due = kNotTold;                   // as `start`: when an open loop should have sent it
  std::uint32_t path = 0;                    // index into ClientRun::paths
  std::uint32_t connection = kNoConnection;  // the generator's own number of the connection
  std::uint16_t status = 0;  // 0: no answer, or the format does not tell (see a note)
  // No whole answer came: `latency` is how long the client waited, kNotTold where it is not told.
  // Left out of the summary.
  bool failed = false;
};

struct ClientRun {
  std::string tool;    // "wrk"
  std::string format;  // the LoadFormat's name: "wrk"
  std::string target;  // URL without query, fragment and credentials; empty if not told

  LatencyKind kind = LatencyKind::kAsSent;
  LatencySummary latency;
  // Whether the time to connect is part of a latency; empty: the output does not tell.
  std::optional<bool> latency_has_connect;
  // Beside a `latency` of another kind: as sent (wrk2 --u_latency).
  std::optional<LatencySummary> as_sent;
  // The summary was computed from `samples` (nearest rank) and not by the tool.
  bool summary_from_samples = false;

  ClientCounts counts;
  std::optional<Duration> duration;          // of the measured run
  std::optional<std::uint64_t> connections;  // or virtual users
  std::optional<std::uint64_t> threads;
  std::optional<Duration> started, finished;  // since the Unix epoch

  TimeBase time_base = TimeBase::kNone;
  Duration time_resolution{};         // of ClientSample::start
  Duration latency_resolution{};      // of ClientSample::latency
  std::vector<ClientSample> samples;  // by rising start
  // Paths of the samples, without query; [0] is "" = not told.
  std::vector<std::string> paths{""};

  std::vector<std::string> notes;  // whole sentences without a full stop, for people
};

}  // namespace srvprof
