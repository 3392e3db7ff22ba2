// A finding about the whole run: what clients waited for was not at the server.
#pragma once

#include <optional>

#include "analyze/client_view.h"
#include "analyze/facts.h"
#include "analyze/report.h"

namespace srvprof {

// If the client's end was traced (`view`, else null): most of what its requests took lay outside the server,
// and much of that was spent waiting for CPUs by the client's own threads. Else, or if not, only if the target
// was idle much of the loaded time while the load generator's threads waited for CPUs longer than they ran, or
// one of them had a CPU all the time. server_p99: of the route with the most requests.
std::optional<Finding> client_side_finding(const Trace& trace, const Facts& facts,
                                           const ClientView* view, Duration server_p99);

}  // namespace srvprof
