// The tables that autocannon draws; part of its importer.
#pragma once

#include <string_view>

#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof::detail {

bool recognise_autocannon_table(std::string_view head);
Result<ClientRun> import_autocannon_table(std::string_view text);

}  // namespace srvprof::detail
