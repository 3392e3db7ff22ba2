// Rows to model, and the ledger of every request: what `srvprof report` waits for.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "synthetic.h"
#include "trace/ledger.h"

namespace srvprof {
namespace {

void per_request(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void BM_Build(benchmark::State& state) {
  const auto rows = synthetic_rows(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    const Trace trace = build_trace(rows);
    if (trace.requests.size() != static_cast<std::size_t>(state.range(0))) std::abort();
  }
  per_request(state);
  state.counters["rows"] = static_cast<double>(rows.size());
}
BENCHMARK(BM_Build)->ArgName("requests")->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

void BM_Ledger(benchmark::State& state) {
  const Trace trace = synthetic_trace(static_cast<std::size_t>(state.range(0)));
  std::vector<Tile> tiles;
  std::size_t count = 0;
  for (auto _ : state) {
    count = 0;
    for (std::uint32_t i = 1; i <= trace.requests.size(); ++i) {
      tiles_of(trace, RequestId{i}, tiles);
      Duration sum{};
      for (const Tile& tile : tiles) sum += tile.length;
      if (sum != trace.request(RequestId{i}).latency()) std::abort();
      count += tiles.size();
    }
  }
  per_request(state);
  state.counters["tiles_per_request"] =
      static_cast<double>(count) / static_cast<double>(trace.requests.size());
}
BENCHMARK(BM_Ledger)->ArgName("requests")->Arg(10'000)->Arg(200'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace srvprof
