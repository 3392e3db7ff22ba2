// The load section of the page.
#include <fmt/format.h>

#include "render/html_parts.h"
#include "render/numbers.h"
#include "render/xml.h"

namespace srvprof {
namespace {

std::string cell(const std::optional<Duration>& d) {
  return fmt::format("<td>{}</td>", d ? ms_text(*d) : "-");
}

std::string rows_html(const LoadPart& part) {
  std::string out;
  for (const BothEnds& b : part.percentiles) {
    if (!b.enough && b.p > 50) continue;
    out += fmt::format("<tr><td>p{:g} {}</td>{}{}{}{}{}</tr>\n", b.p,
                       part.phase.empty() ? "(whole run)" : xml_text(part.phase), cell(b.client),
                       cell(b.client_intended), cell(b.seen), cell(b.server),
                       cell(b.server_intended));
  }
  return out;
}

std::string list_html(std::string_view css, const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) {
    out += fmt::format("<p class=\"{}\">{}</p>\n", css, xml_text(line));
  }
  return out;
}

std::string view_html(const LoadView& view, Time origin) {
  if (!view.problem.empty()) {
    return fmt::format("<p><b>{}</b>: {}{}{}</p>\n", xml_text(view.source), xml_text(view.problem),
                       view.ended.empty() ? "" : "; ", xml_text(view.ended));
  }
  std::string out = fmt::format(
      "<p><b>{}</b> {}: {} connections, {} to {}; {} answers by its own count, {} requests "
      "recorded</p>\n",
      xml_text(view.source), xml_text(view.tool), count_text(view.connections),
      clock_text(view.begin - origin), clock_text(view.end - origin),
      view.counted ? count_text(*view.counted) : "?", count_text(view.recorded));
  if (!view.ended.empty()) out += list_html("", {view.ended});
  out += list_html("", view.count_lines);
  out += fmt::format("<p>{} loop: {}</p>\n", name_of(view.loop), xml_text(view.loop_why));
  out += fmt::format(
      "<table><tr><th>ms</th><th>client, {}</th><th>client, as intended{}</th><th>at its sockets</th><th>"
      "server, as sent</th><th>server, as intended (estimate)</th></tr>\n",
      xml_text(view.client_kind), view.client_estimate ? " (estimate)" : "");
  out += rows_html(view.whole);
  for (const LoadPart& part : view.phases) out += rows_html(part);
  out += "</table>\n";
  out += list_html("", view.gap);
  out += fmt::format("<p class=\"k\">times: {}</p>\n", xml_text(view.aligned));
  return out + list_html("k", view.notes);
}

}  // namespace

std::string html_loads(const Report& report, Time origin) {
  if (report.loads.empty()) return {};
  std::string out = "<h2>Load</h2>\n";
  for (const LoadView& view : report.loads) out += view_html(view, origin);
  return out;
}

}  // namespace srvprof
