// A comparison of two runs, and a gate's results, as bytes.
#pragma once

#include <string>

#include "analyze/compare.h"
#include "analyze/gate.h"
#include "render/format.h"

namespace srvprof {

std::string comparison_text(const Comparison& comparison, const RenderOptions& options);
std::string comparison_json(const Comparison& comparison);  // srvprof.diff/1

std::string gate_text(const Gate& gate, const std::string& file, const RenderOptions& options);
std::string gate_json(const Gate& gate, const std::string& file);  // srvprof.check/1
// JUnit XML: a test case a limit, route and phase; what could not be judged is skipped.
std::string gate_junit(const Gate& gate, const std::string& file);

}  // namespace srvprof
