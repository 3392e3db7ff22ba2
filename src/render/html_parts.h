// The sections of the HTML report; each returns markup, or nothing if there is nothing to say.
#pragma once

#include <string>
#include <string_view>

#include "analyze/report.h"

namespace srvprof {

std::string html_head(const ReportHeader& header);
std::string html_verdict(const Report& report);
std::string html_routes(const Report& report);
// Body and tail of a group as stacked bars and as a table.
std::string html_ledger(const Group& group);
std::string html_findings(const Group& group);
std::string html_exemplars(const Report& report, Time origin);
std::string html_client(const Report& report);
std::string html_loads(const Report& report, Time origin);
std::string html_phases(const Report& report, Time origin);
std::string html_machine(const Report& report);
std::string html_coverage(const Report& report);

std::string_view html_style();

}  // namespace srvprof
