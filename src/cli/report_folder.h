// The folder beside a recording: the report as a page and as JSON, flame graphs, folded stacks.
#pragma once

#include <string>

#include "analyze/report.h"
#include "base/result.h"
#include "trace/model.h"

namespace srvprof {

// The path of the folder of a recording.
std::string folder_of(const std::string& recording);

// Writes all of it (`force`: into a folder that exists, too); returns the path of the page.
Result<std::string> write_report_folder(const Trace& trace, const Report& report,
                                        const std::string& recording, bool force);

}  // namespace srvprof
