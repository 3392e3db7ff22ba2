// Single requests as bars of time and as tables.
#include <fmt/format.h>

#include <algorithm>

#include "render/exemplar_tiles.h"
#include "render/html_parts.h"
#include "render/numbers.h"
#include "render/states.h"
#include "render/xml.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostExemplars = 20;
constexpr std::size_t kMostTiles = 60;   // rows of the table
constexpr std::size_t kMostSpans = 400;  // pieces of the bar

std::string words_of(const ExemplarTile& tile) {
  std::string out = xml_text(tile.who);
  if (!tile.where.empty()) out += (out.empty() ? "in " : ", in ") + xml_text(tile.where);
  return out;
}

std::string span_html(Duration offset, Duration length, Duration whole, std::string_view color,
                      std::string_view title) {
  const auto percent = [&](Duration d) {
    return 100.0 * static_cast<double>(to_ns(d)) / static_cast<double>(to_ns(whole));
  };
  return fmt::format(
      "<span style=\"left:{:.3f}%;width:{:.3f}%;background:{}\" title=\"{}\"></span>",
      percent(offset), percent(length), color, title);
}

// Neighbours of one state are one piece; of very many pieces the longest are shown.
std::string bar_html(const Exemplar& e) {
  std::string out = "<div class=\"bar line\">";
  if (e.latency <= Duration{}) return out + "</div>";
  const ShownTiles shown = longest_tiles(e, kMostSpans);
  for (std::size_t i = 0; i < shown.tiles.size();) {
    const ExemplarTile& first = *shown.tiles[i];
    Duration length{};
    std::size_t pieces = 0;
    while (i < shown.tiles.size() && shown.tiles[i]->state == first.state &&
           shown.tiles[i]->phase == first.phase &&
           shown.tiles[i]->offset == first.offset + length) {
      length += shown.tiles[i]->length;
      ++pieces;
      ++i;
    }
    out += span_html(first.offset, length, e.latency,
                     kStateColors[static_cast<std::size_t>(first.state)],
                     fmt::format("{} {} {} {}", name_of(first.phase), name_of(first.state),
                                 duration_text(length),
                                 pieces == 1 ? words_of(first) : fmt::format("{} pieces", pieces)));
  }
  return out + "</div>";
}

std::string table_html(const Exemplar& e) {
  std::string out =
      "<table><tr><th>at ms</th><th>ms</th><th class=\"l\">phase</th><th class=\"l\">"
      "state</th><th class=\"l\">who, where</th></tr>\n";
  const ShownTiles shown = longest_tiles(e, kMostTiles);
  for (const ExemplarTile* tile : shown.tiles) {
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td class=\"l\">{}</td><td class=\"l\">{}</td>"
        "<td class=\"l\">{}</td></tr>\n",
        ms_text(tile->offset), ms_text(tile->length), name_of(tile->phase), name_of(tile->state),
        words_of(*tile));
  }
  out += "</table>\n";
  if (shown.left_out != 0) {
    out += fmt::format("<p class=\"k\">{} shorter pieces are left out, {} together</p>\n",
                       shown.left_out, duration_text(shown.left_out_time));
  }
  return out;
}

}  // namespace

std::string html_exemplars(const Report& report, Time origin) {
  std::string out;
  for (std::size_t i = 0; i < std::min(report.exemplars.size(), kMostExemplars); ++i) {
    const Exemplar& e = report.exemplars[i];
    out += fmt::format(
        "<details><summary>#{} {} {} <span class=\"k\">at +{:.6f} s, status {} "
        "{}</span>{}</summary>"
        "{}</details>\n",
        e.id, duration_text(e.latency), xml_text(e.path.empty() ? e.route : e.path),
        to_seconds(e.t_arrive - origin), e.status, xml_text(e.flags), bar_html(e), table_html(e));
  }
  return out.empty() ? out : "<h2>Slow requests, one by one</h2>\n" + out;
}

}  // namespace srvprof
