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

// Which columns any row fills.
struct Columns {
  bool intended = false, seen = false, server_intended = false;
};

Columns columns_of(const LoadView& view) {
  Columns c;
  const auto look = [&c](const LoadPart& part) {
    c.seen = c.seen || part.seen_requests > 0;
    for (const BothEnds& b : part.percentiles) {
      c.intended = c.intended || b.client_intended;
      c.server_intended = c.server_intended || b.server_intended;
    }
  };
  look(view.whole);
  for (const LoadPart& part : view.phases) look(part);
  return c;
}

void add_row(std::string name, const BothEnds& b, const Columns& columns, TextTable& table) {
  std::vector<std::string> cells = {std::move(name), cell(b.client)};
  if (columns.intended) cells.push_back(cell(b.client_intended));
  if (columns.seen) cells.push_back(cell(b.seen));
  cells.push_back(cell(b.server));
  if (columns.server_intended) cells.push_back(cell(b.server_intended));
  table.row(std::move(cells));
}

void add_rows(const LoadPart& part, const Columns& columns, TextTable& table) {
  const std::string phase = part.phase.empty() ? "" : " " + escape_text(part.phase);
  if (part.phase.empty() && part.client_mean) {
    BothEnds mean;
    mean.client = part.client_mean;
    mean.seen = part.seen_mean;
    mean.server = part.server_mean;
    add_row("mean", mean, columns, table);
  }
  for (const BothEnds& b : part.percentiles) {
    if (!b.enough && b.p > 50) continue;
    if (!part.phase.empty() && b.p != 50 && b.p != 99) continue;  // the JSON has all
    add_row(fmt::format("p{:g}{}", b.p, phase), b, columns, table);
  }
}

std::string figures(const TextContext& context, const LoadView& view) {
  const Columns columns = columns_of(view);
  std::vector<std::string> head = {"ms", view.client_kind == "as intended" && !columns.intended
                                             ? "client, as intended"
                                             : "client, as sent"};
  if (view.client_kind.starts_with("corrected")) head.back() = "client, corrected";
  if (columns.intended) {
    head.emplace_back(view.client_estimate ? "as intended (estimate)" : "as intended");
  }
  if (columns.seen) head.emplace_back("at its sockets");
  head.emplace_back("server, as sent");
  if (columns.server_intended) head.emplace_back("as intended (estimate)");
  std::vector<Align> align(head.size(), Align::kRight);
  align.front() = Align::kLeft;
  TextTable table(align);
  table.row(std::move(head));
  add_rows(view.whole, columns, table);
  for (const LoadPart& part : view.phases) add_rows(part, columns, table);
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
    head += ": " + escape_text(view.problem);
    if (!view.ended.empty()) head += "; " + escape_text(view.ended);
    return wrap(context.paint.bold("LOAD") + "     ", kIndent, head, width);
  }
  if (!view.tool.empty() && head.find(view.tool) == std::string::npos) head += ", " + view.tool;
  head +=
      fmt::format(": {} connections, {}-{}", count_text(view.connections),
                  clock_text(view.begin - context.origin), clock_text(view.end - context.origin));
  std::string out = wrap(context.paint.bold("LOAD") + "     ", kIndent, head, width);
  if (!view.ended.empty()) out += wrap(margin, kIndent, escape_text(view.ended), width);
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
