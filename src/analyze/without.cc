#include "analyze/without.h"

#include <algorithm>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMost = 3'000;  // requests looked at in each half
constexpr std::size_t kReplicates = 100;
constexpr double kUpper = 90;  // percentile above which the sample is denser

struct Sampled {
  RequestId id;
  double weight = 0;  // requests that it stands for
  std::uint32_t block = 0;
  std::vector<Duration> claimed;  // by cause
};

struct Value {
  Duration latency{};
  double weight = 0;
  std::uint32_t block = 0;
};

void sample(const CauseContext& ctx, const TileSource& source, std::span<const RequestId> ids,
            std::vector<Sampled>& out) {
  if (ids.empty()) return;
  const ClaimSet set = claim(ctx, source, ids, kMost, false);
  const double weight = static_cast<double>(ids.size()) / static_cast<double>(set.requests.size());
  for (std::size_t i = 0; i < set.requests.size(); ++i) {
    const Duration since =
        std::max(ctx.trace.request(set.requests[i]).t_arrive - ctx.begin, Duration(0));
    out.push_back(
        {set.requests[i], weight, static_cast<std::uint32_t>(since / 1s), set.of_request[i]});
  }
}

// The p99 of sorted values, block b counted times[b] times.
Duration weighted_p99(const std::vector<Value>& sorted, const std::vector<double>& times) {
  double total = 0;
  for (const Value& v : sorted) total += v.weight * times[v.block];
  double seen = 0;
  for (const Value& v : sorted) {
    seen += v.weight * times[v.block];
    if (seen >= 0.99 * total - 1e-9) return v.latency;
  }
  return sorted.empty() ? Duration{} : sorted.back().latency;
}

std::pair<Duration, Duration> interval(const std::vector<Value>& sorted, std::uint32_t blocks,
                                       Duration estimate) {
  std::vector<Duration> values;
  std::uint64_t state = 0x5eed;
  for (std::size_t r = 0; r < kReplicates; ++r) {
    std::vector<double> times(blocks, 0.0);
    for (std::uint32_t b = 0; b < blocks; ++b) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      times[(state >> 33) % blocks] += 1;
    }
    values.push_back(weighted_p99(sorted, times));
  }
  std::sort(values.begin(), values.end());
  return {std::min(values[kReplicates * 25 / 1000], estimate),
          std::max(values[kReplicates * 975 / 1000], estimate)};
}

std::vector<Value> values_without(const Trace& trace, const std::vector<Sampled>& samples,
                                  std::size_t cause, Duration floor) {
  std::vector<Value> values;
  for (const Sampled& s : samples) {
    const Duration latency = trace.request(s.id).latency();
    const Duration rest = std::max(latency - s.claimed[cause], std::min(latency, floor));
    values.push_back({rest, s.weight, s.block});
  }
  std::sort(values.begin(), values.end(),
            [](const Value& a, const Value& b) { return a.latency < b.latency; });
  return values;
}

}  // namespace

void estimate_without(const CauseContext& ctx, const TileSource& source, GroupData& g) {
  const std::size_t n = g.members.size();
  if (n < 100) return;
  const std::span<const RequestId> ids(g.members);
  const std::size_t upper = rank_of(kUpper, n);
  std::vector<Sampled> samples;
  sample(ctx, source, ids.subspan(0, upper), samples);
  sample(ctx, source, ids.subspan(upper), samples);
  std::uint32_t blocks = 1;
  for (const Sampled& s : samples) blocks = std::max(blocks, s.block + 1);
  const Duration median = ctx.trace.request(ids[rank_of(50, n)]).latency();
  for (Finding& f : g.out.findings) {
    if (f.of_body) continue;  // the median itself is made of it: nothing to take off
    const auto causes = all_causes();
    const auto found = std::find_if(causes.begin(), causes.end(),
                                    [&](const Cause* c) { return c->id == f.cause; });
    if (found == causes.end()) continue;
    const auto values = values_without(ctx.trace, samples,
                                       static_cast<std::size_t>(found - causes.begin()), median);
    const Duration estimate = weighted_p99(values, std::vector<double>(blocks, 1.0));
    f.p99_without = interval(values, blocks, estimate);
  }
}

}  // namespace srvprof
