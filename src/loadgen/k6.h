// Parts of the importer of k6: its files of points (k6.cc) and its summaries (k6_summary.cc).
#pragma once

#include <string_view>

#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof::detail {

bool recognise_k6_summary(std::string_view head);
// All three shapes of JSON: --summary-export, handleSummary() before and since k6's new summary.
Result<ClientRun> import_k6_summary(std::string_view text);

bool recognise_k6_text(std::string_view head);
// The report on stdout at the end of a test.
Result<ClientRun> import_k6_text(std::string_view text);

}  // namespace srvprof::detail
