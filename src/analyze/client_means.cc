#include "analyze/client_means.h"

#include <algorithm>
#include <numeric>

namespace srvprof {

ClientMeans client_means(const Trace& trace, std::span<const RequestId> requests) {
  ClientMeans m;
  for (const RequestId id : requests) {
    const Request& r = trace.request(id);
    if (r.stream || r.censored || r.aborted) continue;
    if (const auto ledger = client_ledger(trace, id)) m.ledger.add(*ledger), ++m.requests;
    if (const auto turn = client_turnaround(trace, id)) m.turn.add(*turn), ++m.turns;
  }
  for (Duration& d : m.ledger.line) d /= std::max<std::int64_t>(m.requests, 1);
  for (Duration& d : m.turn.line) d /= std::max<std::int64_t>(m.turns, 1);
  return m;
}

Duration sum_of_lines(const ClientLedger& ledger) {
  return std::accumulate(ledger.line.begin(), ledger.line.end(), Duration{});
}

}  // namespace srvprof
