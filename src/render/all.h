// The renderers that the list in all.cc is made of.
#pragma once

#include <string>

#include "render/format.h"

namespace srvprof {

Status render_text(const Document&, const RenderOptions&, const ByteSink&);
Status render_json(const Document&, const RenderOptions&, const ByteSink&);
Status render_csv(const Document&, const RenderOptions&, const ByteSink&);
Status render_threads_csv(const Document&, const RenderOptions&, const ByteSink&);
Status render_folded(const Document&, const RenderOptions&, const ByteSink&);
Status render_flamegraph(const Document&, const RenderOptions&, const ByteSink&);
Status render_html(const Document&, const RenderOptions&, const ByteSink&);

// The exemplars of the report as text, one ledger each (srvprof requests).
Status render_requests(const Document&, const RenderOptions&, const ByteSink&);

// The JSON schema (draft 2020-12) of what render_json writes.
std::string json_schema();

}  // namespace srvprof
