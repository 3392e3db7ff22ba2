#include "analyze/groups.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "analyze/phases.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

// Blocks of the bootstrap: 1 s, as a stall with its echo seldom lasts longer; a short run is cut
// into twenty, else there would be nothing to draw from.
Duration block_length(const LoadPhase& phase) {
  return std::clamp<Duration>((phase.end - phase.begin) / 20, 50ms, 1s);
}

Duration mean_latency(const Trace& trace, const std::vector<RequestId>& ids, std::size_t from,
                      std::size_t to) {
  if (from >= to) return {};
  Duration sum{};
  for (std::size_t i = from; i < to; ++i) sum += trace.request(ids[i]).latency();
  return sum / static_cast<std::int64_t>(to - from);
}

Duration quantile(std::vector<Duration> values, double p) {
  if (values.empty()) return {};
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(rank_of(p, values.size()));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

void count_members(const Trace& trace, GroupData& g) {
  std::map<std::uint16_t, std::uint64_t> statuses;
  std::vector<Duration> ttfb, span;
  ttfb.reserve(g.members.size());
  span.reserve(g.members.size());
  for (const RequestId id : g.members) {
    const Request& r = trace.request(id);
    g.out.censored += r.censored;
    g.out.aborted += r.aborted;
    g.out.pipelined += r.pipelined;
    g.out.errors += r.status >= 500 || r.aborted;
    if (r.status) ++statuses[r.status];
    if (r.n_write == 0 || r.t_write < r.t_arrive) continue;
    ttfb.push_back(r.t_write - r.t_arrive);
    span.push_back(r.t_done - r.t_write);
  }
  g.out.statuses.assign(statuses.begin(), statuses.end());
  g.out.ttfb_p50 = quantile(std::move(ttfb), 50);
  g.out.write_span_p99 = quantile(std::move(span), 99);
}

void measure(const Trace& trace, const LoadPhase& phase, double tail_percentile, GroupData& g) {
  // By latency, then by arrival: which of equal requests are in the tail must not be chance.
  std::sort(g.members.begin(), g.members.end(), [&](RequestId a, RequestId b) {
    const Duration x = trace.request(a).latency(), y = trace.request(b).latency();
    return x != y ? x < y : a < b;
  });
  const std::size_t n = g.members.size();
  g.out.requests = n;
  count_members(trace, g);
  if (n == 0) return;
  std::vector<Duration> sorted;
  std::vector<std::uint32_t> block;
  sorted.reserve(n);
  block.reserve(n);
  const Duration length = block_length(phase);
  for (const RequestId id : g.members) {
    const Request& r = trace.request(id);
    sorted.push_back(r.latency());
    const Duration since = std::max(r.t_arrive - phase.begin, Duration(0));
    block.push_back(static_cast<std::uint32_t>(since / length));
  }
  g.split = split_ranks(n, tail_percentile);
  g.bootstrap = block_bootstrap({sorted, block, kPercentiles, tail_percentile});
  g.out.percentiles = percentiles_of(sorted, g.bootstrap);
  g.out.max = sorted.back();
  g.out.mean = mean_latency(trace, g.members, 0, n);
  g.out.tail_requests = n - g.split.tail;
  g.out.body_requests = g.split.body_to - g.split.body_from;
  g.body_mean = mean_latency(trace, g.members, g.split.body_from, g.split.body_to);
  g.gap = mean_latency(trace, g.members, g.split.tail, n) - g.body_mean;
}

}  // namespace

std::vector<GroupData> groups_of(const Trace& trace, const std::vector<LoadPhase>& phases,
                                 const ReportOptions& options) {
  using Key = std::tuple<std::uint32_t, std::size_t, bool>;
  std::map<Key, GroupData> groups;
  for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
    const Request& r = trace.requests[i];
    const std::size_t phase = phase_at(phases, r.t_arrive);
    if (!options.phase.empty() && phases[phase].name != options.phase) continue;
    if (!options.route.empty() && trace.routes[r.route.value] != options.route) continue;
    GroupData& g = groups[{r.route.value, phase, r.first}];
    g.route = r.route;
    g.phase = phase;
    g.first = r.first;
    if (r.stream) {
      ++g.out.streams;
    } else {
      g.members.push_back(RequestId{i + 1});
    }
  }
  std::vector<GroupData> out;
  for (auto& [key, g] : groups) {
    g.out.route = trace.routes[g.route.value];
    g.out.phase = phases[g.phase].name;
    g.out.first_requests = g.first;
    measure(trace, phases[g.phase], options.tail_percentile, g);
    out.push_back(std::move(g));
  }
  return out;
}

}  // namespace srvprof
