// The load generators' own results joined with the recording.
#pragma once

#include <vector>

#include "analyze/facts.h"
#include "analyze/load_view.h"
#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// One view a load command that srvprof started and a file of `options.loads`, in that order. Output
// that no importer knows gives a view with a `problem`; a file that the started command's line
// names takes its place.
std::vector<LoadView> load_views(const Trace& trace, const Facts& facts,
                                 const std::vector<LoadPhase>& phases,
                                 const ReportOptions& options);

}  // namespace srvprof
