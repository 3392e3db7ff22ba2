// Model to report, and report to bytes in every format.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "analyze/report.h"
#include "render/format.h"
#include "synthetic.h"

namespace srvprof {
namespace {

constexpr std::size_t kRequests = 50'000;

// Made once: every benchmark of this file looks at the same run.
const Trace& the_trace() {
  static const Trace trace = synthetic_trace(kRequests);
  return trace;
}

void BM_Analyze(benchmark::State& state) {
  const Trace trace = synthetic_trace(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const Report report = analyze(trace, "bench.srvprof", {});
    if (report.groups.empty()) std::abort();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Analyze)->ArgName("requests")->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

void BM_Flame(benchmark::State& state) {
  const FlameOptions options{.kind = static_cast<FlameKind>(state.range(0)), .phase = {}, .route = {}};
  for (auto _ : state) {
    FlameData data = flame(the_trace(), options);
    benchmark::DoNotOptimize(data);
  }
}
BENCHMARK(BM_Flame)->ArgName("kind")->DenseRange(0, 2)->Unit(benchmark::kMillisecond);

void render(benchmark::State& state, const Format& format) {
  static const Report report = analyze(the_trace(), "bench.srvprof", {});
  static const std::vector<FlameData> flames = {flame(the_trace(), {})};
  const Document document{&the_trace(), &report, flames};
  std::size_t bytes = 0;
  for (auto _ : state) {
    bytes = 0;
    const ByteSink sink = [&](std::string_view text) -> Status {
      bytes += text.size();
      return {};
    };
    if (!format.render(document, {}, sink).ok()) std::abort();
  }
  if (bytes == 0) std::abort();
  state.counters["bytes"] = static_cast<double>(bytes);
}

// One benchmark a format of the list: a new one is measured by itself.
const bool kRegistered = [] {
  for (const Format& format : formats()) {
    benchmark::RegisterBenchmark(("BM_Render/" + std::string(format.name)).c_str(),
                                 [&format](benchmark::State& state) { render(state, format); })
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace srvprof
