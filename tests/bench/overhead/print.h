// Results as text and as JSON.
#pragma once

#include <string>
#include <vector>

#include "measure.h"
#include "probe_costs.h"
#include "results.h"

namespace srvprof {

std::string case_text(const Case& c);
std::string verdict_text(const std::vector<Verdict>& verdicts);
std::string json_text(const BenchOptions& options, const std::vector<Case>& cases,
                      const std::vector<ProbeTable>& tables, const std::vector<std::string>& notes);

}  // namespace srvprof
