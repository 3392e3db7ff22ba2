// The sentence that a reader in a hurry reads.
#pragma once

#include <string>
#include <vector>

#include "analyze/facts.h"
#include "analyze/groups.h"
#include "analyze/report.h"

namespace srvprof {

// Puts the group that matters most first: the one whose requests lost the most time to something
// that was found, weighted by how much longer they took than their own work; idle phases and
// warm-ups only if there is nothing else.
void order_groups(std::vector<GroupData>& groups);

// The first line is the sentence. `groups` are ordered; `client` is the finding that the target
// idled.
std::vector<std::string> verdict_of(const Trace& trace, const Facts& facts,
                                    const std::vector<LoadPhase>& phases,
                                    const std::vector<GroupData>& groups,
                                    const ReportOptions& options);

}  // namespace srvprof
