// The plain CSV of home-made load generators; README.md of this folder is its description.
#pragma once

#include <string_view>

#include "base/result.h"
#include "loadgen/client_run.h"

namespace srvprof::detail {

Result<ClientRun> import_plain_csv(std::string_view text);

}  // namespace srvprof::detail
