#include "analyze/loop_kind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "analyze/percentiles.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kLeastStall = 20ms;
constexpr std::int64_t kStallOverMedian = 20;  // times the usual time between two answers
constexpr double kFewestExpected = 5;          // arrivals that stalls should have had
constexpr double kStopped = 0.3, kWentOn = 0.7;
constexpr double kBusyConnections = 0.7;  // of the time with a request open: no open loop is so
// Tools that wait for answers unless told otherwise; those with a rate are told by their kind.
constexpr std::array<std::string_view, 7> kClosedTools = {"wrk",        "hey", "ab", "siege",
                                                          "autocannon", "oha", "k6"};

struct Stalls {
  std::size_t count = 0;
  Duration time{};                // all of them
  double expected = 0, seen = 0;  // arrivals in their later three quarters
};

// Times without any answer although requests were open.
Stalls stalls_of(const Trace& trace, const LoadSet& set) {
  std::vector<Time> arrivals, done;
  for (const RequestId id : set.requests) {
    const Request& r = trace.request(id);
    if (r.stream || r.censored) continue;
    arrivals.push_back(r.t_arrive);
    done.push_back(r.t_done);
  }
  Stalls out;
  if (done.size() < 100) return out;
  std::sort(arrivals.begin(), arrivals.end());
  std::sort(done.begin(), done.end());
  std::vector<Duration> gaps;
  for (std::size_t i = 1; i < done.size(); ++i) gaps.push_back(done[i] - done[i - 1]);
  std::vector<Duration> sorted = gaps;
  std::sort(sorted.begin(), sorted.end());
  const Duration least = std::max(kLeastStall, sorted[sorted.size() / 2] * kStallOverMedian);
  const double rate =
      static_cast<double>(arrivals.size()) / to_seconds(arrivals.back() - arrivals.front() + 1ns);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (gaps[i] < least) continue;
    const auto before = [&](Time t) {
      return std::lower_bound(arrivals.begin(), arrivals.end(), t) - arrivals.begin();
    };
    const Time from = done[i] + gaps[i] / 4;
    // Somebody waits by then, else it is a pause of the load.
    if (before(from) <= static_cast<std::ptrdiff_t>(i) + 1) continue;
    ++out.count;
    out.time += gaps[i];
    out.expected += rate * to_seconds(gaps[i]) * 0.75;
    out.seen += static_cast<double>(before(done[i + 1]) - before(from));
  }
  return out;
}

struct Turnarounds {
  std::vector<Duration> times;
  Duration open{};  // of requests, summed
};

Turnarounds turnarounds_of(const Trace& trace, const LoadSet& set) {
  Turnarounds out;
  const Request* last = nullptr;
  for (const RequestId id : set.requests) {
    const Request& r = trace.request(id);
    if (!r.stream) out.open += r.latency();
    if (last != nullptr && last->conn == r.conn && r.t_arrive >= last->t_done && !r.pipelined) {
      out.times.push_back(r.t_arrive - last->t_done);
    }
    last = &r;
  }
  std::sort(out.times.begin(), out.times.end());
  return out;
}

void tell(const Stalls& stalls, double busy, const ClientRun& run, LoopFacts& out) {
  if (run.kind == LatencyKind::kAsIntended || run.tool == "vegeta") {
    out.kind = LoopKind::kOpen;
    out.why = run.tool + " sends by a schedule";
  } else if (stalls.expected >= kFewestExpected && stalls.seen <= kStopped * stalls.expected) {
    out.kind = LoopKind::kClosed;
    out.why = fmt::format("in {} of {} in all, {:.0f} requests arrived where its rate makes {:.0f}",
                          plural_words(stalls.count, "stall"), ms_words(stalls.time), stalls.seen,
                          stalls.expected);
  } else if (stalls.expected >= kFewestExpected && stalls.seen >= kWentOn * stalls.expected) {
    out.kind = LoopKind::kOpen;
    out.why = fmt::format("requests went on arriving in {}: {:.0f} where its rate makes {:.0f}",
                          plural_words(stalls.count, "stall"), stalls.seen, stalls.expected);
  } else if (busy >= kBusyConnections) {
    out.kind = LoopKind::kClosed;
    out.why = fmt::format("its connections had a request open for {} of the time",
                          percent_words(std::min(busy, 1.0)));
  } else if (std::find(kClosedTools.begin(), kClosedTools.end(), run.tool) != kClosedTools.end()) {
    out.kind = LoopKind::kClosed;
    out.why = run.tool + " waits for each answer";
  } else {
    out.why = "there was no stall long enough to tell whether it waits for answers";
  }
}

}  // namespace

LoopFacts loop_of(const Trace& trace, const LoadSet& set, const ClientRun& run) {
  LoopFacts out;
  if (set.requests.empty()) return out;
  const Turnarounds turns = turnarounds_of(trace, set);
  Time first = trace.request(set.requests.front()).t_arrive, last = first;
  for (const RequestId id : set.requests) {
    first = std::min(first, trace.request(id).t_arrive);
    last = std::max(last, trace.request(id).t_done);
  }
  const double whole = to_seconds(last - first) * static_cast<double>(set.connections);
  const bool kept = turns.times.size() * 2 >= set.requests.size();  // connections are used again
  const double busy = kept && whole > 0 ? to_seconds(turns.open) / whole : 0;
  tell(stalls_of(trace, set), busy, run, out);
  if (out.kind != LoopKind::kClosed || turns.times.empty()) return out;
  out.turnaround_p50 = turns.times[rank_of(50, turns.times.size())];
  out.turnaround_p99 = turns.times[rank_of(99, turns.times.size())];
  Duration sum{};
  for (const Duration d : turns.times) sum += d;
  out.turnaround_mean = sum / static_cast<std::int64_t>(turns.times.size());
  return out;
}

std::string_view name_of(LoopKind kind) {
  switch (kind) {
    case LoopKind::kClosed: return "closed";
    case LoopKind::kOpen: return "open";
    case LoopKind::kUnknown: return "unknown";
  }
  return {};
}

}  // namespace srvprof
