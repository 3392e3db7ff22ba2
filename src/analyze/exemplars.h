// Single requests, one ledger each, in words.
#pragma once

#include <string>
#include <vector>

#include "analyze/claims.h"
#include "analyze/groups.h"
#include "analyze/report.h"

namespace srvprof {

// The slowest options.exemplars requests of the groups, then of the first group one ordinary
// request (nearest to its median) and the one nearest to its p99. Streams are left out.
std::vector<Exemplar> exemplars_of(const Trace& trace, const TileSource& source,
                                   const std::vector<GroupData>& groups,
                                   const ReportOptions& options);

Exemplar exemplar(const Trace& trace, const TileSource& source, RequestId id,
                  const std::string& phase);

// Who a tile is about: "POST /login (request 4711)", "wrk (pid 4310)", "127.0.0.1:5432"; may be
// empty.
std::string who_words(const Trace& trace, const Tile& tile);

}  // namespace srvprof
