// What was measured, as plain data, and what follows from it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace srvprof {

enum class Mode { kControl, kDefault, kFull };  // control: the tracer is never switched on
std::string name_of(Mode mode);

// One stretch of the load run with the tracer on or off.
struct Window {
  bool on = false;
  double seconds = 0, p50_us = 0, p99_us = 0;
  std::uint64_t answered = 0;  // by the generator's count
  std::uint64_t cpu_ns = 0, runq_ns = 0;  // of the server
  // Of the ring, which is emptied a little before and after the window: traced requests were recorded
  // while ring_answered ones were answered.
  std::uint64_t ring_bytes = 0, records = 0, traced = 0, ring_answered = 0;

  double rate() const { return static_cast<double>(answered) / seconds; }
  double cpu_us() const { return static_cast<double>(cpu_ns) / 1e3 / static_cast<double>(answered); }
};

struct Case {
  std::string server;
  bool open_loop = false;
  Mode mode = Mode::kControl;
  double rate = 0;  // open loop: requests/s that were sent
  std::vector<std::pair<Window, Window>> pairs;  // off, on
  std::uint64_t lost = 0, undecodable = 0;
  std::uint32_t one_in_max = 1;
  double collector_us = 0;           // CPU of the collector a request, while on
  std::uint64_t collector_rss = 0;   // bytes

  std::string name() const;
};

// Lower quartile, median, upper quartile.
struct Quartiles {
  double low = 0, median = 0, high = 0;
};
Quartiles quartiles(std::vector<double> values);

// Over the pairs of a case: `value` of the window that was on, divided by that of the one that was off.
Quartiles ratios(const Case& c, const std::function<double(const Window&)>& value);
Quartiles rate_ratio(const Case& c);
Quartiles cpu_ratio(const Case& c);
// CPU of the server that a request cost more, in us.
Quartiles added_cpu_us(const Case& c);
// Means over the windows that were off.
double base_rate(const Case& c);
double base_cpu_us(const Case& c);
// All ring bytes (record headers included) by answered requests; recorded requests by answered ones.
double ring_bytes_a_request(const Case& c);
double traced_share(const Case& c);

// A requirement and whether it was met.
struct Verdict {
  std::string what;   // "node closed loop default: throughput ratio"
  double value = 0, limit = 0;
  bool at_least = false;
  bool met = false;
  bool noisy = false; // the control of the same run is off by more than kControlTolerance
};
inline constexpr double kControlTolerance = 0.02;
std::vector<Verdict> judge(const std::vector<Case>& cases);

}  // namespace srvprof
