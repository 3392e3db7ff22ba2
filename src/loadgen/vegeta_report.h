// The reports of vegeta; part of its importer.
#pragma once

#include <string_view>

#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof::detail {

bool recognise_vegeta_report_json(std::string_view head);
Result<ClientRun> import_vegeta_report_json(std::string_view text);
bool recognise_vegeta_report(std::string_view head);
Result<ClientRun> import_vegeta_report(std::string_view text);
bool recognise_vegeta_hdrplot(std::string_view head);
Result<ClientRun> import_vegeta_hdrplot(std::string_view text);

}  // namespace srvprof::detail
