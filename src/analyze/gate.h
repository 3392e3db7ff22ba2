// Limits that a run must keep: for continuous integration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/report.h"
#include "base/result.h"

namespace srvprof {

enum class LimitKind { kPercentile, kMax, kCause, kThroughput, kErrors, kLost };

struct Limit {
  LimitKind kind{};
  double percentile = 0;  // kPercentile
  std::string cause;      // kCause
  bool below = true;      // "<" or ">"
  bool or_equal = false;
  double value = 0;  // ns, share 0..1, or requests a second
  std::string text;  // as given: "p99 <40ms"
};

// "<40ms", "<= 1.5s", "40ms" (below); us, ms and s.
Result<Limit> parse_latency_limit(std::string_view name, std::string_view text);
// "gc<10%": of the gap between slow and ordinary requests. The cause must exist.
Result<Limit> parse_cause_limit(std::string_view text);
// ">1000": requests a second.
Result<Limit> parse_rate_limit(std::string_view name, std::string_view text);
// "<1%" of the requests.
Result<Limit> parse_share_limit(LimitKind kind, std::string_view name, std::string_view text);

struct LimitResult {
  std::string limit, route, phase;  // route and phase empty: of the whole run
  double value = 0;                 // in the limit's unit
  bool judged = false;              // false: too few requests
  bool passed = false;              // of what was judged
  std::string words;                // "p99 is 41.3 ms [39.8 .. 43.0], of 41,022 requests"
};

struct Gate {
  std::vector<LimitResult> results;
  bool passed = false;  // nothing that was judged failed, and each limit was judged somewhere
};

// Each limit against each route and phase of the report but idle ones, warm-ups and first requests;
// `phase` (may be empty) was asked for by name, then it is taken whatever it is.
Gate check_limits(const Report& report, const std::vector<Limit>& limits, const std::string& phase);

}  // namespace srvprof
