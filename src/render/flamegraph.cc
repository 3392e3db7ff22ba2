// Interactive flame graph as SVG. Layout and labels are in the markup, so that a viewer without
// scripts shows the picture; the script only moves and marks what is there.
#include "render/flamegraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "render/all.h"
#include "render/flame_layout.h"
#include "render/layout.h"
#include "render/numbers.h"
#include "render/xml.h"

namespace srvprof {
namespace {

constexpr double kWidth = 1200, kMargin = 10;  // px
constexpr double kFrameHeight = 17, kTop = 62, kBottom = 34;
constexpr double kCharWidth = 6.7;   // px, 11 px monospace
constexpr double kLeastWidth = 0.2;  // px; narrower frames are left out

struct Rgb {
  int r, g, b;
};

// The same name has the same colour in every graph (FNV-1a).
std::uint32_t hash_of(std::string_view s) {
  std::uint32_t h = 2166136261u;
  for (char c : s) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
  return h ^ (h >> 15);
}

// Warm for CPU samples, cold for time that passed off CPU.
Rgb plain_color(const FlameData& flame, std::string_view label) {
  const std::uint32_t h = hash_of(label);
  const int a = static_cast<int>(h % 50), b = static_cast<int>(h / 50 % 100);
  if (flame.unit == "ms") return {90 + a, 140 + b / 2, 190 + a};
  return {205 + a, 90 + b, 40 + a / 2};
}

// Red: a larger share of the slow requests than of the ordinary ones; blue: a smaller one.
Rgb differential_color(const FlameLayout& layout, const FlameBox& box) {
  const double now = box.weight / layout.total;
  const double before = layout.baseline_total > 0 ? box.baseline / layout.baseline_total : 0;
  const double larger = std::max(now, before);
  const double change = larger > 0 ? (now - before) / larger : 0;  // -1 .. 1
  const int fade = 245 - static_cast<int>(std::lround(std::fabs(change) * 160));
  return change >= 0 ? Rgb{250, fade, fade} : Rgb{fade, fade, 250};
}

std::string weight_text(const FlameData& flame, double weight) {
  if (flame.unit == "ms") return duration_text(Duration(std::llround(weight * 1e6)));
  // Samples of a mean request are fractions.
  return (flame.differential ? fmt::format("{:.3f}", weight)
                             : count_text(static_cast<std::uint64_t>(std::llround(weight)))) +
         " " + flame.unit;
}

std::string box_title(const FlameData& flame, const FlameLayout& layout, const FlameBox& box) {
  const std::string_view name =
      box.label == 0 ? "all" : std::string_view(flame.labels[box.label - 1]);
  std::string out =
      fmt::format("{}\n{}, {}", xml_text(name), xml_text(weight_text(flame, box.weight)),
                  percent_text(box.weight / layout.total));
  if (flame.differential) {
    const double before = layout.baseline_total > 0 ? box.baseline / layout.baseline_total : 0;
    out += fmt::format(" (ordinary requests: {})", percent_text(before));
  }
  return out;
}

std::string box_svg(const FlameData& flame, const FlameLayout& layout, const FlameBox& box) {
  const double scale = (kWidth - 2 * kMargin) / layout.total;
  const double x = kMargin + box.start * scale, width = box.weight * scale;
  const double y = kTop + (layout.depth - box.depth) * kFrameHeight;
  const std::string_view label =
      box.label == 0 ? "all" : std::string_view(flame.labels[box.label - 1]);
  const Rgb c = flame.differential ? differential_color(layout, box) : plain_color(flame, label);
  const auto columns = static_cast<std::size_t>(std::max(0.0, (width - 6) / kCharWidth));
  const std::string text = columns < 3 ? "" : shorten(escape_text(label), columns);
  return fmt::format(
      "<g><title>{}</title><rect x=\"{:.3f}\" y=\"{}\" width=\"{:.3f}\" height=\"{}\" "
      "fill=\"#{:02x}{:02x}{:02x}\"/><text x=\"{:.3f}\" y=\"{}\">{}</text></g>\n",
      box_title(flame, layout, box), x, y, width, kFrameHeight - 1, c.r, c.g, c.b, x + 3, y + 12,
      xml_of_escaped(text));
}

constexpr std::string_view kStyle = R"(
text{font:11px ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#111;pointer-events:none}
.t{font-size:16px;font-weight:bold}.s{fill:#555}.b{fill:#06c;pointer-events:auto;cursor:pointer}
.fr g{cursor:pointer}.fr g:hover rect{stroke:#000;stroke-width:1}.fr .up rect{opacity:.45}
.fr .hit rect{fill:#d030d0}.fr .hit text{fill:#fff}.fr .off{display:none}
input{font:12px monospace;width:100%;box-sizing:border-box;padding:1px 4px})";

std::string head_svg(const FlameData& flame, std::string_view id, double height) {
  std::string css(kStyle);
  // On a page every rule must keep to its own graph.
  std::string scoped;
  const std::string scope = fmt::format("#{} ", id);
  bool at_selector = true;
  for (char c : css) {
    if (at_selector && c != '\n') {
      scoped += scope;
      at_selector = false;
    }
    scoped += c;
    if (c == '}') at_selector = true;
  }
  return fmt::format(
      "<svg id=\"{}\" xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
      "viewBox=\"0 0 {} {}\" role=\"img\">\n<style>{}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fdfdfb\"/>\n"
      "<text class=\"t\" x=\"{}\" y=\"22\">{}</text>\n<text class=\"s\" x=\"{}\" "
      "y=\"38\">{}</text>\n",
      id, kWidth, height, kWidth, height, scoped, kMargin, xml_text(flame.title), kMargin,
      xml_text(flame.subtitle));
}

std::string controls_svg(double height) {
  return fmt::format(
      "<text class=\"b reset\" x=\"{}\" y=\"22\">reset zoom</text>\n"
      "<foreignObject x=\"{}\" y=\"8\" width=\"200\" height=\"22\"><input "
      "xmlns=\"http://www.w3.org/1999/xhtml\" class=\"find\" type=\"search\" "
      "placeholder=\"search (regular expression)\"/></foreignObject>\n"
      "<text class=\"info\" x=\"{}\" y=\"{}\"> </text>\n"
      "<text class=\"match\" x=\"{}\" y=\"{}\" text-anchor=\"end\"> </text>\n",
      kWidth - 310, kWidth - 210, kMargin, height - 12, kWidth - kMargin, height - 12);
}

}  // namespace

std::string flame_svg(const FlameData& flame, std::string_view id) {
  const FlameLayout layout = lay_out(flame, kLeastWidth / (kWidth - 2 * kMargin));
  const double height = kTop + (layout.depth + 1) * kFrameHeight + kBottom;
  std::string out = head_svg(flame, id, height);
  if (layout.boxes.empty()) {
    return out + fmt::format(
                     "<text x=\"{}\" y=\"{}\">nothing was recorded for this graph</text>\n"
                     "</svg>\n",
                     kMargin, kTop + 12);
  }
  out += controls_svg(height);
  if (layout.left_out != 0) {
    out += fmt::format(
        "<text class=\"s\" x=\"{}\" y=\"54\">{} frames too narrow to show are left "
        "out</text>\n",
        kMargin, count_text(layout.left_out));
  }
  out += "<g class=\"fr\">\n";
  for (const FlameBox& box : layout.boxes) out += box_svg(flame, layout, box);
  out +=
      fmt::format("</g>\n<script><![CDATA[\n(function(ID){{{}}})(\"{}\");\n]]></script>\n</svg>\n",
                  flame_script(), id);
  return out;
}

Status render_flamegraph(const Document& document, const RenderOptions&, const ByteSink& sink) {
  TRY(sink("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
  return sink(document.flames.empty() ? flame_svg(FlameData{}, "fg")
                                      : flame_svg(document.flames.front(), "fg"));
}

}  // namespace srvprof
