// The sections of the text report; each returns whole lines, or nothing if there is nothing to say.
#pragma once

#include <string>

#include "analyze/report.h"
#include "render/format.h"
#include "render/layout.h"

namespace srvprof {

struct TextContext {
  const Report& report;
  const RenderOptions& options;
  Time origin;  // zero of printed times
  Paint paint;
};

// "GET /health", with what sets the group apart: "(first)" for the first requests of connections,
// and the phase if asked.
std::string group_label(const Group& group, bool with_phase);

std::string text_head(const TextContext& context);
std::string text_verdict(const TextContext& context);
// Findings of the groups after the verdict's.
std::string text_findings(const TextContext& context);
// The numbered findings of one group and what of it is unexplained. Brief: a line each.
std::string text_group_findings(const TextContext& context, const Group& group, bool brief);
std::string text_routes(const TextContext& context);
// The ledger of the verdict's group; of every group if verbose.
std::string text_ledgers(const TextContext& context);
// Requests seen from the load generator's end.
std::string text_client(const TextContext& context);
// The load generators' own figures beside the server's.
std::string text_loads(const TextContext& context);
std::string text_phases(const TextContext& context);
std::string text_machine(const TextContext& context);
std::string text_coverage(const TextContext& context);
std::string text_own_cost(const TextContext& context);

}  // namespace srvprof
