// The file of --phases.
#include "analyze/facts.h"
#include "analyze/load_stages.h"
#include "analyze/words.h"
#include "fuzz.h"

using namespace srvprof;

// load_align.cc, which tells the wall clock, refers to these. They are not reached, and what they are part of
// would take long to build.
namespace srvprof {
const Process* find_process(const Trace&, std::uint32_t) { std::abort(); }
std::string clock_words(Duration) { std::abort(); }
}  // namespace srvprof

SRVPROF_FUZZ(input) {
  Trace trace;
  trace.t_begin = time_from_ns(1'000'000'000);
  trace.t_end = time_from_ns(61'000'000'000);
  (void)parse_phases(trace, fuzz::text_of(input), "phases");
  trace.loads.push_back({});
  trace.loads.back().argv = "k6 run " + std::string(fuzz::text_of(input));
  (void)stage_marks(trace);
}
