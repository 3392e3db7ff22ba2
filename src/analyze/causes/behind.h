// Shared by the two causes of head-of-line blocking: the thread ran another request's code.
#pragma once

#include <string>
#include <vector>

#include "analyze/causes/cause.h"

namespace srvprof {

// The route of the request whose code ran; none for other tiles, or if it is not known.
RouteId route_in_front(const CauseContext& ctx, const Tile& tile);

// Routes in front with their time, largest first, as culprits (what: the route).
std::vector<Culprit> culprits_by_route(const CauseContext& ctx, const ClaimStats& stats);

// How busy the threads were that the claimed requests waited for: "its loop was on CPU 97 % of the
// phase, waiting for a CPU 2 %".
std::string utilisation_words(const CauseContext& ctx, const ClaimStats& stats);

// "the loop" or "the thread", by the runtime's model.
std::string_view server_word(const Trace& trace);

// How long the code of one request in front ran on average: "one ran for 28.1 ms on average, the
// longest 31.0 ms".
std::string run_length_words(const CauseContext& ctx, const ClaimStats& stats);

}  // namespace srvprof
