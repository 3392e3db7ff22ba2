// One self-contained page: no network, no file beside it. The only scripts are those of the flame
// graphs; a content security policy forbids everything else.
#include <fmt/format.h>

#include "render/all.h"
#include "render/flamegraph.h"
#include "render/html_parts.h"
#include "render/text_parts.h"
#include "render/xml.h"

namespace srvprof {
namespace {

constexpr std::size_t kGroupsInDetail = 8;

std::string details(const std::string& title, const std::string& body, bool open) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n", open ? " open" : "", title,
                     body);
}

std::string groups_html(const Report& report) {
  std::string out;
  for (std::size_t i = 0; i < report.groups.size() && i < kGroupsInDetail; ++i) {
    const Group& group = report.groups[i];
    const std::string body = (i == 0 ? "" : html_findings(group)) + html_ledger(group);
    if (!body.empty()) out += details(xml_of_escaped(group_label(group, true)), body, i == 0);
  }
  return out.empty() ? out : "<h2>Ledgers</h2>\n" + out;
}

std::string flames_html(const Document& document) {
  std::string out;
  for (std::size_t i = 0; i < document.flames.size(); ++i) {
    const FlameData& flame = document.flames[i];
    out += details(xml_text(flame.title), flame_svg(flame, fmt::format("fg{}", i + 1)), i == 0);
  }
  return out.empty() ? out : "<h2>Flame graphs</h2>\n" + out;
}

}  // namespace

Status render_html(const Document& document, const RenderOptions&, const ByteSink& sink) {
  const Report& report = *document.report;
  const std::string title =
      fmt::format("srvprof: {} (pid {})", xml_text(report.header.comm), report.header.pid);
  TRY(
      sink(fmt::format("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                       "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
                       "<meta name=\"viewport\" content=\"width=device-width\">\n"
                       "<title>{}</title>\n<style>{}</style></head><body>\n",
                       title, html_style())));
  TRY(sink(html_head(report.header)));
  TRY(sink(html_verdict(report)));
  TRY(sink(html_routes(report)));
  TRY(sink(groups_html(report)));
  TRY(sink(flames_html(document)));
  TRY(sink(html_exemplars(report, document.origin())));
  TRY(sink(html_client(report)));
  TRY(sink(html_loads(report, document.origin())));
  TRY(sink(html_phases(report, document.origin())));
  TRY(sink(html_machine(report)));
  TRY(sink(html_coverage(report)));
  return sink("</body></html>\n");
}

}  // namespace srvprof
