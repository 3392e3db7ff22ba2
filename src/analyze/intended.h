// Coordinated omission: what a generator that waits for answers did not send, as an estimate.
//
// A closed loop sends nothing while the server stalls, so a stall of 80 ms is one slow request a
// connection, not all those that an open loop would have sent. The estimate is HdrHistogram's: a
// request that took longer than kStallFactor intervals stands for one more request every interval
// that its connection usually sends in, each of them late by what was left of the stall.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "analyze/load_align.h"
#include "base/time.h"

namespace srvprof {

// Latencies with weights; percentiles within 0.4 %.
class LatencyWeights {
 public:
  void add(Duration latency, double weight = 1);
  // The latencies that `interval` makes of a stalled request: latency - interval, - 2 interval ...
  void add_missing(Duration latency, Duration interval);
  bool empty() const { return total_ <= 0; }
  std::optional<Duration> percentile(double p) const;
  // Requests that were added by add_missing().
  double missing() const { return missing_; }

 private:
  static constexpr int kSteps = 128;  // of a power of two
  static constexpr int kOctaves = 48;
  std::array<double, static_cast<std::size_t>(kSteps) * kOctaves> weights_{};
  double total_ = 0, missing_ = 0;
};

// The server's latencies as an open loop would have met them: of the set's requests that arrived in
// [from, to). Nothing where connections carry too few requests to tell how often they send.
std::optional<LatencyWeights> intended_at_server(const Trace& trace, const LoadSet& set, Time from,
                                                 Time to);

// The same of the generator's own samples, a closed loop's. `connections`: 0 = not known.
std::optional<LatencyWeights> intended_at_client(const std::vector<const ClientSample*>& samples,
                                                 std::uint64_t connections);

}  // namespace srvprof
