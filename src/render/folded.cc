// Folded stacks: "outer;inner weight" a line, the input of other flame graph tools. Weights are
// integers: samples, or nanoseconds for times. Differential graphs have two, body, then tail, of a
// mean request; their samples are counted in thousandths.
#include <fmt/format.h>

#include <cmath>

#include "base/escape.h"
#include "render/all.h"

namespace srvprof {
namespace {

// A frame must not hold the separator; a blank at the end of a line separates the weight and is
// looked for from the right, so blanks may stay.
std::string folded_frame(std::string_view label) {
  std::string out = escape_text(label);
  for (char& c : out) {
    if (c == ';') c = ':';
  }
  return out;
}

}  // namespace

Status render_folded(const Document& document, const RenderOptions&, const ByteSink& sink) {
  std::string out;
  for (const FlameData& flame : document.flames) {
    const double scale = flame.unit == "ms" ? 1e6 : flame.differential ? 1000 : 1;
    for (const FlameStack& stack : flame.stacks) {
      const long long weight = std::llround(stack.weight * scale);
      const long long baseline = std::llround(stack.baseline * scale);
      if (weight <= 0 && (!flame.differential || baseline <= 0)) continue;
      for (std::size_t i = 0; i < stack.frames.size(); ++i) {
        if (i != 0) out += ';';
        out += folded_frame(flame.labels[stack.frames[i]]);
      }
      if (flame.differential) out += fmt::format(" {}", baseline);
      out += fmt::format(" {}\n", weight);
    }
  }
  return sink(out);
}

}  // namespace srvprof
