// The load section: the generator's figures beside the server's.
#include <fmt/format.h>

#include "base/escape.h"
#include "render/numbers.h"
#include "render/text_parts.h"

namespace srvprof {
namespace {

using Align = TextTable::Align;
constexpr std::size_t kIndent = 9;

std::string cell(const std::optional<Duration>& d) { return d ? ms_text(*d) : "-"; }

bool any_intended(const LoadView& view, bool client) {
  const auto has = [client](const LoadPart& part) {
    for (const BothEnds& b : part.percentiles) {
      if (client ? b.client_intended.has_value() : b.server_intended.has_value()) return true;
    }
    return false;
  };
  bool any = has(view.whole);
  for (const LoadPart& part : view.phases) any = any || has(part);
  return any;
}

void add_rows(const LoadPart& part, bool client, bool server, TextTable& table) {
  for (const BothEnds& b : part.percentiles) {
    if (!b.enough && b.p > 50) continue;
    if (!part.phase.empty() && b.p != 50 && b.p != 99) continue;  // the JSON has all
    std::vector<std::string> cells = {
        fmt::format("p{:g}{}", b.p, part.phase.empty() ? "" : " " + escape_text(part.phase)),
        cell(b.client)};
    if (client) cells.push_back(cell(b.client_intended));
    cells.push_back(cell(b.server));
    if (server) cells.push_back(cell(b.server_intended));
    table.row(std::move(cells));
  }
}

std::string figures(const TextContext& context, const LoadView& view) {
  const bool client = any_intended(view, true), server = any_intended(view, false);
  std::vector<Align> columns = {Align::kLeft, Align::kRight};
  std::vector<std::string> head = {"ms", view.client_kind == "as intended" && !client
                                             ? "client, as intended"
                                             : "client, as sent"};
  if (view.client_kind.starts_with("corrected")) head.back() = "client, corrected";
  if (client) {
    columns.push_back(Align::kRight);
    head.emplace_back(view.client_estimate ? "as intended (estimate)" : "as intended");
  }
  columns.push_back(Align::kRight);
  head.emplace_back("server, as sent");
  if (server) {
    columns.push_back(Align::kRight);
    head.emplace_back("as intended (estimate)");
  }
  TextTable table(columns);
  table.row(std::move(head));
  add_rows(view.whole, client, server, table);
  for (const LoadPart& part : view.phases) add_rows(part, client, server, table);
  return table.text(std::string(kIndent, ' '), context.paint);
}

std::string counts(const LoadView& view) {
  std::string out = view.counted
                        ? fmt::format("it counted {} answers, {} requests were recorded",
                                      count_text(*view.counted), count_text(view.recorded))
                        : fmt::format("{} requests were recorded", count_text(view.recorded));
  for (const std::string& line : view.count_lines) out += "; " + escape_text(line);
  return out;
}

std::string loop(const LoadView& view) {
  switch (view.loop) {
    case LoopKind::kClosed: return "closed loop: " + view.loop_why;
    case LoopKind::kOpen: return "open loop: " + view.loop_why;
    case LoopKind::kUnknown: break;
  }
  return view.loop_why;
}

std::string view_text(const TextContext& context, const LoadView& view) {
  const std::size_t width = context.options.width;
  const std::string margin(kIndent, ' ');
  std::string head = escape_text(view.source);
  if (!view.problem.empty()) {
    return wrap(context.paint.bold("LOAD") + "     ", kIndent,
                head + ": " + escape_text(view.problem), width);
  }
  if (!view.tool.empty() && head.find(view.tool) == std::string::npos) head += ", " + view.tool;
  head +=
      fmt::format(": {} connections, {}-{}", count_text(view.connections),
                  clock_text(view.begin - context.origin), clock_text(view.end - context.origin));
  std::string out = wrap(context.paint.bold("LOAD") + "     ", kIndent, head, width);
  out += wrap(margin, kIndent, counts(view), width);
  if (!view.loop_why.empty()) out += wrap(margin, kIndent, escape_text(loop(view)), width);
  out += figures(context, view);
  if (!view.phases.empty()) {
    out += wrap(margin, kIndent, "the first lines are the whole run: they mix phases", width);
  }
  for (const std::string& line : view.gap) out += wrap(margin, kIndent, escape_text(line), width);
  out += wrap(margin, kIndent, "times: " + escape_text(view.aligned), width);
  for (const std::string& note : view.notes) {
    out +=
        wrap(margin + context.paint.dim(view.tool.empty() ? "note" : escape_text(view.tool)) + ": ",
             kIndent + 2, escape_text(note), width);
  }
  return out;
}

}  // namespace

std::string text_loads(const TextContext& context) {
  std::string out;
  for (const LoadView& view : context.report.loads) out += '\n' + view_text(context, view);
  return out;
}

}  // namespace srvprof
