// All of a report from a stranger's recording: model, ledger, causes, and every format.
#include "analyze/report.h"

#include "fuzz.h"
#include "recording/text.h"
#include "render/format.h"
#include "trace/builder.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  TraceBuilder builder;
  if (!parse_text(fuzz::text_of(input), builder).ok() || builder.rows() == 0) return;
  const Trace trace = builder.build();
  const Report report = analyze(trace, "fuzz", {});
  const std::vector<FlameData> flames = {flame(trace, {})};
  for (const Format& format : formats()) {
    (void)format.render(Document{&trace, &report, flames}, {}, [](std::string_view) { return Status(); });
  }
}
