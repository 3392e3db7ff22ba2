#include "analyze/phase_bins.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBin = 250ms;
constexpr std::size_t kMaxBins = 20'000;  // longer recordings get wider bins
constexpr double kEffect = 0.2;           // a boundary moves a signal by at least this

// Running sums of +1 and -1 at bins make levels.
void add_levels(const std::vector<int>& steps, const auto& set) {
  int level = 0;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
    level += steps[i];
    set(i, level);
  }
}

void mark_covered(const Trace& trace, LoadBins& b) {
  std::vector<int> covered(b.bins.size() + 1, 0), open(b.bins.size() + 1, 0);
  for (const Request& r : trace.requests) {
    if (r.stream) continue;
    const std::size_t from = b.of(r.t_arrive), to = b.of(r.t_done);
    if (from >= to) continue;
    ++open[from + 1];  // at the begin of each bin from the next one to that of its end
    if (to + 1 < open.size()) --open[to + 1];
    if (r.latency() < b.width || from + 1 >= to) continue;
    ++covered[from + 1];
    --covered[to];
  }
  add_levels(covered, [&](std::size_t i, int n) { b.bins[i].covered = n > 0; });
  add_levels(open, [&](std::size_t i, int n) { b.bins[i].open = n; });
}

void count_connections(const Trace& trace, LoadBins& b, Time end) {
  std::vector<std::size_t> last(trace.conns.size() + 1, ~std::size_t{0});
  for (const Request& r : trace.requests) {
    if (r.stream || (b.bins.size() > 1 && r.t_arrive >= end)) continue;
    const std::size_t bin = b.of(r.t_arrive);
    std::size_t& seen = last[r.conn.value];
    if (seen != bin) ++b.bins[bin].connections;
    seen = bin;
  }
}

void count_held(const Trace& trace, LoadBins& b) {
  std::vector<int> steps(b.bins.size() + 1, 0);
  for (const Conn& conn : trace.conns) {
    if (conn.outgoing) continue;
    ++steps[known(conn.t_open) ? b.of(conn.t_open) : 0];
    if (known(conn.t_close)) --steps[b.of(conn.t_close) + 1];
  }
  add_levels(steps, [&](std::size_t i, int n) { b.bins[i].held = n; });
}

}  // namespace

std::size_t LoadBins::of(Time t) const {
  if (t <= begin) return 0;
  return std::min(static_cast<std::size_t>((t - begin) / width), bins.size() - 1);
}

bool LoadBins::unsure(std::size_t i) const {
  const auto stalled = [&](std::size_t k) {
    return k < bins.size() && bins[k].covered && bins[k].requests == 0;
  };
  return stalled(i) || stalled(i + 1) || (i > 0 && stalled(i - 1));
}

LoadBins load_bins(const Trace& trace) {
  LoadBins b;
  b.begin = trace.t_begin;
  b.width = kBin;
  const Duration span = std::max(trace.t_end - trace.t_begin, Duration(1));
  while (span / b.width >= static_cast<std::int64_t>(kMaxBins)) b.width *= 2;
  // Whole bins only: what is left at the end is too short to tell a level.
  b.bins.resize(std::max<std::size_t>(1, static_cast<std::size_t>(span / b.width)));
  const Time end = b.at(b.bins.size());
  std::vector<std::vector<std::int64_t>> latencies(b.bins.size());
  for (const Request& r : trace.requests) {
    if (r.stream) continue;
    if (r.t_done < end) ++b.bins[b.of(r.t_done)].done;
    if (b.bins.size() > 1 && r.t_arrive >= end) continue;
    latencies[b.of(r.t_arrive)].push_back(r.latency().count());
  }
  double carried = 0;
  for (std::size_t i = 0; i < b.bins.size(); ++i) {
    auto& v = latencies[i];
    b.bins[i].requests = v.size();
    if (v.size() >= 5) {
      const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
      std::nth_element(v.begin(), middle, v.end());
      carried = static_cast<double>(*middle);
    }
    b.bins[i].p50_ns = carried;
  }
  mark_covered(trace, b);
  count_connections(trace, b, end);
  count_held(trace, b);
  return b;
}

LoadLevel load_level(const LoadBins& b, std::size_t from, std::size_t to) {
  LoadLevel level;
  std::vector<double> p50s;
  double requests = 0;
  std::size_t stalled = 0;
  for (std::size_t i = from; i < to; ++i) stalled += b.unsure(i);
  const bool all = stalled == to - from;
  for (std::size_t i = from; i < to; ++i) {
    if (!all && b.unsure(i)) continue;
    requests += static_cast<double>(b.bins[i].requests);
    level.connections += static_cast<double>(b.bins[i].connections);
    level.held += b.bins[i].held;
    level.open += b.bins[i].open;
    p50s.push_back(b.bins[i].p50_ns);
  }
  if (p50s.empty()) return level;
  std::sort(p50s.begin(), p50s.end());
  level.p50_ns = p50s[p50s.size() / 2];
  const auto n = static_cast<double>(p50s.size());
  level.rate = requests / to_seconds(b.width) / n;
  level.connections /= n;
  level.held /= n;
  level.open /= n;
  return level;
}

std::string rate_words(double per_second) {
  if (per_second >= 10'000) return fmt::format("{:.0f}k/s", per_second / 1000);
  if (per_second >= 1'000) return fmt::format("{:.1f}k/s", per_second / 1000);
  return fmt::format("{:.0f}/s", per_second);
}

bool moved(double before, double after) {
  return std::abs(std::log(std::max(after, 1e-9) / std::max(before, 1e-9))) > std::log1p(kEffect);
}

std::string change_words(const LoadLevel& before, const LoadLevel& after) {
  std::string out =
      fmt::format("throughput {} -> {}", rate_words(before.rate), rate_words(after.rate));
  if (moved(before.connections, after.connections)) {
    out += fmt::format(", connections {:.0f} -> {:.0f}", before.connections, after.connections);
  }
  if (moved(before.p50_ns, after.p50_ns)) {
    out += fmt::format(", p50 {} -> {}", ms_words(Duration(std::llround(before.p50_ns))),
                       ms_words(Duration(std::llround(after.p50_ns))));
  }
  return out;
}

}  // namespace srvprof
