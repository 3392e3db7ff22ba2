// Routes whose requests, as a rule, do not stop between read and write.
#include <algorithm>

#include "trace/ledger.h"
#include "trace/raw.h"

namespace srvprof {
namespace {

constexpr std::size_t kSamples = 300;  // looked at for a route, spread over the run
constexpr std::size_t kSamplesMin = 20;
constexpr Duration kStop = std::chrono::microseconds(50);

// Whether the request stopped for a reason that was not recorded.
bool stopped(const Trace& trace, RequestId id, std::vector<Tile>& tiles) {
  tiles_of(trace, id, tiles);
  Duration unknown{};
  for (const Tile& tile : tiles) {
    const bool served = tile.phase == LifePhase::kService || tile.phase == LifePhase::kWrite;
    if (served && tile.state == State::kUnexplained) unknown += tile.length;
  }
  return unknown > kStop;
}

}  // namespace

void find_routes_that_run_through(Trace& trace) {
  if (trace.model != RuntimeModel::kGoroutines) return;
  std::vector<std::vector<RequestId>> of_route(trace.routes.size());
  for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
    const Request& r = trace.requests[i];
    if (!r.censored && !r.aborted && !r.stream) of_route[r.route.value].push_back({i + 1});
  }
  std::vector<bool> through(trace.routes.size());
  std::vector<Tile> tiles;
  for (std::size_t route = 0; route < of_route.size(); ++route) {
    const std::vector<RequestId>& ids = of_route[route];
    if (ids.size() < kSamplesMin) continue;
    const std::size_t step = std::max<std::size_t>(1, ids.size() / kSamples);
    std::size_t looked = 0, stops = 0;
    for (std::size_t i = 0; i < ids.size(); i += step, ++looked) {
      stops += stopped(trace, ids[i], tiles);
    }
    through[route] = stops * 3 < looked;
  }
  trace.route_runs_through = std::move(through);
}

}  // namespace srvprof
