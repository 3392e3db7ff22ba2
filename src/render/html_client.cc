// The client section of the page.
#include <fmt/format.h>

#include "render/html_parts.h"
#include "render/numbers.h"
#include "render/xml.h"

namespace srvprof {
namespace {

std::string row_html(std::string_view name, Duration mean, Duration p50, Duration p99,
                     const std::string& tail) {
  return fmt::format(
      "<tr><td class=\"l\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", name,
      ms_text(mean), ms_text(p50), ms_text(p99), tail);
}

std::string part_html(const ClientPart& part) {
  std::string out = fmt::format(
      "<p>{}{}: {} requests</p>\n<table><tr><th "
      "class=\"l\">ms</th><th>mean</th><th>p50</th><th>p99</th>"
      "<th>slowest 1 %</th></tr>\n",
      xml_text(part.phase), part.first_requests ? ", first requests of connections" : "",
      count_text(part.requests));
  for (const ClientLineFigures& f : part.lines) {
    out += row_html(name_of(f.line), f.mean, f.p50, f.p99, ms_text(f.tail_mean));
  }
  out += row_html("= client", part.client_mean, part.client_p50, part.client_p99,
                  ms_text(part.client_tail));
  return out +
         row_html("the server's own", part.server_mean, part.server_p50, part.server_p99, "") +
         "</table>\n";
}

}  // namespace

std::string html_client(const Report& report) {
  if (!report.client || report.client->parts.empty()) return {};
  std::string out =
      fmt::format("<h2>Client</h2>\n<p><b>{}</b></p>\n", xml_text(report.client->who));
  for (const ClientPart& part : report.client->parts) out += part_html(part);
  for (const ClientOccupant& o : report.client->occupants) {
    out += fmt::format("<p>while its threads waited for a CPU: {} {}</p>\n", xml_text(o.who),
                       percent_text(o.share));
  }
  for (const std::string& note : report.client->notes) {
    out += fmt::format("<p class=\"k\">{}</p>\n", xml_text(note));
  }
  return out;
}

}  // namespace srvprof
