// The report as JSON.
#include "render/all.h"
#include "render/json_fields.h"
#include "render/json_writer.h"

namespace srvprof {

Status render_json(const Document& document, const RenderOptions&, const ByteSink& sink) {
  JsonReport report{document.report, {}};
  if (document.trace != nullptr) report.probes = document.trace->capabilities;
  return sink(json_text(report));
}

}  // namespace srvprof
