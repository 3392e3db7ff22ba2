// A finding about the whole run: the target idled, so that what is slow is not here.
#pragma once

#include <optional>

#include "analyze/facts.h"
#include "analyze/report.h"

namespace srvprof {

// Only if the target was idle much of the loaded time while the load generator's threads waited for
// CPUs longer than they ran, or one of them had a CPU all the time. server_p99: of the route with
// the most requests.
std::optional<Finding> client_side_finding(const Trace& trace, const Facts& facts,
                                           Duration server_p99);

}  // namespace srvprof
