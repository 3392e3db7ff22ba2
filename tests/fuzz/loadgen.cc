// What load generators printed. Compiled once for each tool (SRVPROF_FUZZ_TOOL).
#include "loadgen/loadgen.h"

#include "fuzz.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  const std::string_view text = fuzz::text_of(input);
  for (const LoadFormat& format : load_formats()) {
    if (format.tool != SRVPROF_FUZZ_TOOL) continue;
    (void)format.recognise(text.substr(0, kHeadBytes));
    const auto run = format.import(text);
    if (!run.ok()) fuzz::require(!run.error().what.empty());
  }
  (void)import_run(text, SRVPROF_FUZZ_TOOL);
}
