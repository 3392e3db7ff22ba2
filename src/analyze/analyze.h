// analyze() with the source of tiles as a parameter: tests say what the ledgers are.
#pragma once

#include <string>

#include "analyze/claims.h"
#include "analyze/report.h"

namespace srvprof {

Report analyze_with(const Trace& trace, const TileSource& source, const std::string& file,
                    const ReportOptions& options);

}  // namespace srvprof
