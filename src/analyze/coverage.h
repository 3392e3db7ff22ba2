// What was not measured, what was lost, and what measuring cost.
#pragma once

#include <vector>

#include "analyze/facts.h"
#include "analyze/groups.h"
#include "analyze/report.h"

namespace srvprof {

ReportHeader header_of(const Trace& trace, const Facts& facts, const std::string& file);

std::vector<CoverageLine> coverage_of(const Trace& trace, const ReportHeader& header,
                                      const std::vector<GroupData>& groups);

}  // namespace srvprof
