#include "analyze/intended.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace srvprof {
namespace {

constexpr double kStallFactor = 3;        // intervals: what takes longer is a stall
constexpr std::size_t kFewestInARow = 8;  // requests of a connection that tell its interval
constexpr double kMostMissing = 1000;     // of one stall, one by one; more are spread evenly

Duration median(std::vector<Duration>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

struct Sent {
  Time t;
  Duration latency{};
};

// One connection's requests, by time.
void add_connection(const std::vector<Sent>& sent, LatencyWeights& out, bool& any) {
  std::vector<Duration> intervals;
  for (std::size_t i = 1; i < sent.size(); ++i) intervals.push_back(sent[i].t - sent[i - 1].t);
  const Duration interval =
      sent.size() >= kFewestInARow ? std::max(median(intervals), Duration(1)) : Duration{};
  any = any || interval > Duration{};
  for (const Sent& s : sent) {
    out.add(s.latency);
    if (interval > Duration{}) out.add_missing(s.latency, interval);
  }
}

}  // namespace

void LatencyWeights::add(Duration latency, double weight) {
  const double ns = static_cast<double>(std::max<std::int64_t>(latency.count(), 1));
  const auto slot = static_cast<std::size_t>(std::log2(ns) * kSteps);
  weights_[std::min(slot, weights_.size() - 1)] += weight;
  total_ += weight;
}

void LatencyWeights::add_missing(Duration latency, Duration interval) {
  const double ratio = static_cast<double>(latency.count()) / static_cast<double>(interval.count());
  if (ratio < kStallFactor) return;
  const double n = std::floor(ratio) - 1;  // the last one is late by at least one interval
  const double steps = std::min(n, kMostMissing);
  const double step = static_cast<double>(interval.count()) * n / steps;
  for (double k = 1; k <= steps; ++k) {
    add(latency - Duration(std::llround(step * k)), n / steps);
  }
  missing_ += n;
}

std::optional<Duration> LatencyWeights::percentile(double p) const {
  if (empty()) return std::nullopt;
  const double rank = p / 100 * total_;
  double seen = 0;
  std::size_t last = 0;
  for (std::size_t slot = 0; slot < weights_.size(); ++slot) {
    if (weights_[slot] <= 0) continue;
    seen += weights_[slot];
    last = slot;
    if (seen >= rank - 1e-9) break;
  }
  return Duration(std::llround(std::exp2((static_cast<double>(last) + 0.5) / kSteps)));
}

std::optional<LatencyWeights> intended_at_server(const Trace& trace, const LoadSet& set, Time from,
                                                 Time to) {
  std::map<std::uint32_t, std::vector<Sent>> by_conn;
  for (const RequestId id : set.requests) {
    const Request& r = trace.request(id);
    if (r.stream || r.aborted || r.censored || r.t_arrive < from || r.t_arrive >= to) continue;
    by_conn[r.conn.value].push_back({r.t_arrive, r.latency()});
  }
  LatencyWeights out;
  bool any = false;
  for (const auto& [conn, sent] : by_conn) add_connection(sent, out, any);
  if (!any) return std::nullopt;
  return out;
}

std::optional<LatencyWeights> intended_at_client(const std::vector<const ClientSample*>& samples,
                                                 std::uint64_t connections) {
  LatencyWeights out;
  std::map<std::uint32_t, std::vector<Sent>> by_conn;
  for (const ClientSample* s : samples) {
    if (s->failed || s->latency < Duration{}) continue;
    by_conn[s->connection].push_back({Time{} + s->start, s->latency});
  }
  if (by_conn.size() > 1 || !by_conn.contains(kNoConnection)) {
    bool any = false;
    for (const auto& [conn, sent] : by_conn) add_connection(sent, out, any);
    if (!any) return std::nullopt;
    return out;
  }
  // Without numbers of connections: what one of them sends in, on average.
  const std::vector<Sent>& all = by_conn[kNoConnection];
  if (connections == 0 || all.size() < kFewestInARow * connections) return std::nullopt;
  const Duration interval = (all.back().t - all.front().t) *
                            static_cast<std::int64_t>(connections) /
                            static_cast<std::int64_t>(all.size());
  if (interval <= Duration{}) return std::nullopt;
  for (const Sent& s : all) {
    out.add(s.latency);
    out.add_missing(s.latency, interval);
  }
  return out;
}

}  // namespace srvprof
