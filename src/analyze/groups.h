// Requests of one route in one phase of the load, with what can be said without their ledgers.
#pragma once

#include <vector>

#include "analyze/percentiles.h"
#include "analyze/report.h"
#include "analyze/tail_body.h"
#include "trace/model.h"

namespace srvprof {

struct GroupData {
  RouteId route;
  std::size_t phase = 0;           // index into the phases
  bool first = false;              // first requests of their connections
  std::vector<RequestId> members;  // by latency, without streams
  SplitRanks split;
  Bootstrap bootstrap;
  Duration gap{}, body_mean{};  // over all members of tail and body
  Group out;
};

// One entry a (route, phase, first) that has requests or streams; options.phase and .route filter.
// Ledgers, gap and findings of `out` are not filled yet. Censored and aborted requests stay, with
// the time that they had taken: their latency is a lower bound.
std::vector<GroupData> groups_of(const Trace& trace, const std::vector<LoadPhase>& phases,
                                 const ReportOptions& options);

}  // namespace srvprof
