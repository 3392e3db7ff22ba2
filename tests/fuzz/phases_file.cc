// The file of --phases.
#include "analyze/load_stages.h"
#include "fuzz.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  Trace trace;
  trace.t_begin = time_from_ns(1'000'000'000);
  trace.t_end = time_from_ns(61'000'000'000);
  (void)parse_phases(trace, fuzz::text_of(input), "phases");
  trace.loads.push_back({});
  trace.loads.back().argv = "k6 run " + std::string(fuzz::text_of(input));
  (void)stage_marks(trace);
}
