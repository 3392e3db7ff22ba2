// The report for a terminal: the verdict first, then what it rests on.
#include <fmt/format.h>

#include "base/escape.h"
#include "render/all.h"
#include "render/numbers.h"
#include "render/text_parts.h"

namespace srvprof {
namespace {

constexpr std::size_t kArgvColumns = 40;

std::string target_text(const ReportHeader& header) {
  const std::string& name = header.argv.empty() ? header.comm : header.argv;
  std::string out =
      fmt::format("{} (pid {})", shorten(escape_text(name), kArgvColumns), header.pid);
  for (std::size_t i = 0; i < header.ports.size(); ++i) {
    out += fmt::format("{}:{}", i == 0 ? " " : ",", header.ports[i]);
  }
  return out;
}

// "in flight at the end 3, aborted 1": requests that are not like the others.
std::string unusual_requests(const ReportHeader& header) {
  std::string out;
  const auto add = [&](std::uint64_t n, const char* what) {
    if (n != 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count_text(n), what);
  };
  add(header.censored, "in flight at the end");
  add(header.aborted, "aborted by the peer");
  add(header.streams, "streams");
  add(header.pipelined, "pipelined");
  add(header.left_out_at_attach, "in flight at attach (left out)");
  return out;
}

}  // namespace

std::string group_label(const Group& group, bool with_phase) {
  std::string out = escape_text(group.route);
  if (group.first_requests) out += " (first)";
  if (with_phase && !group.phase.empty()) out += fmt::format(" [{}]", escape_text(group.phase));
  return out;
}

std::string text_head(const TextContext& context) {
  const ReportHeader& header = context.report.header;
  const std::string lost = count_text(header.lost) + " lost";
  std::string line =
      fmt::format("{}, {} recorded, {} requests, {}, own cost {}", target_text(header),
                  clock_text(header.duration), count_text(header.requests),
                  header.lost == 0 ? lost : context.paint.red(lost),
                  to_ns(header.own_cost_per_request) == 0
                      ? "not measured"
                      : duration_text(header.own_cost_per_request) + " a request");
  if (!header.mode.empty() && header.mode != "default") {
    line += fmt::format(", mode {}", escape_text(header.mode));
  }
  std::string out = wrap(context.paint.bold("srvprof:") + " ", 2, line, context.options.width);
  const std::string unusual = unusual_requests(header);
  if (!unusual.empty()) out += wrap("  ", 2, "of these " + unusual, context.options.width);
  if (!header.clean_end) {
    out += wrap("  ", 2, "the recording was not closed in order: it ends where srvprof was stopped",
                context.options.width);
  }
  return out;
}

std::string text_verdict(const TextContext& context) {
  const std::vector<std::string>& lines = context.report.verdict;
  const std::string sentence =
      lines.empty() ? "nothing to say: no request was recorded" : escape_text(lines.front());
  std::string out =
      '\n' + wrap(context.paint.bold("VERDICT  "), 9, sentence, context.options.width);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    out += wrap("         ", 9, escape_text(lines[i]), context.options.width);
  }
  if (!context.report.groups.empty()) {
    out += text_group_findings(context, context.report.groups.front(), false);
  }
  return out;
}

Status render_text(const Document& document, const RenderOptions& options, const ByteSink& sink) {
  const TextContext context{*document.report, options, document.origin(), Paint(options.color)};
  std::string out = text_head(context);
  out += text_verdict(context);
  out += text_routes(context);
  out += text_ledgers(context);
  out += text_findings(context);
  out += text_client(context);
  out += text_loads(context);
  out += text_phases(context);
  out += text_machine(context);
  out += text_coverage(context);
  if (options.stats) out += text_own_cost(context);
  return sink(out);
}

}  // namespace srvprof
