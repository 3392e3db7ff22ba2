// A recording made in code, always the same for the same size: an event loop that answers two light
// routes, one route that asks a database and one that burns CPU for milliseconds, for 64 connections,
// with a neighbour that takes the CPU from it now and then.
#pragma once

#include <cstddef>
#include <vector>

#include "recording/text.h"
#include "trace/model.h"

namespace srvprof {

// Rows in the order in which a capture adds them: `requests` requests and what belongs to them.
std::vector<AnyRow> synthetic_rows(std::size_t requests);

// The model of some rows.
Trace build_trace(const std::vector<AnyRow>& rows);

// build_trace(synthetic_rows(requests)).
Trace synthetic_trace(std::size_t requests);

}  // namespace srvprof
