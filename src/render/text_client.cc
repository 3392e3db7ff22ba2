// The client section: requests as the load generator lived through them.
#include <fmt/format.h>

#include "base/escape.h"
#include "render/numbers.h"
#include "render/text_parts.h"

namespace srvprof {
namespace {

using Align = TextTable::Align;
constexpr std::size_t kIndent = 9;

std::string part_label(const ClientPart& part) {
  return fmt::format("{}{}", part.first_requests ? "first requests of connections, " : "",
                     escape_text(part.phase));
}

std::string part_table(const TextContext& context, const ClientPart& part) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.row({"ms", "mean", "p50", "p99", "slowest 1 %"});
  for (const ClientLineFigures& f : part.lines) {
    table.row({std::string(name_of(f.line)), ms_text(f.mean), ms_text(f.p50), ms_text(f.p99),
               ms_text(f.tail_mean)});
  }
  table.row({"= client", ms_text(part.client_mean), ms_text(part.client_p50),
             ms_text(part.client_p99), ms_text(part.client_tail)});
  table.row({"the server's own", ms_text(part.server_mean), ms_text(part.server_p50),
             ms_text(part.server_p99), ""});
  return table.text(std::string(kIndent, ' '), context.paint);
}

std::string outside_line(const ClientPart& part) {
  const Duration outside = part.outside();
  if (outside <= Duration{} || part.client_mean <= Duration{}) return {};
  const auto share = [&](Duration d) {
    return percent_text(static_cast<double>(to_ns(d)) / static_cast<double>(to_ns(outside)));
  };
  return fmt::format(
      "outside the server: {} ms a request, {} of them named; the answer lay unread for {} ms, {} "
      "of which a "
      "thread of the client waited for a CPU",
      ms_text(outside), share(part.named_outside()), ms_text(part.unread_mean),
      ms_text(part.unread_runq_mean));
}

std::string turnaround_line(const ClientPart& part) {
  if (part.turnarounds == 0) return {};
  return fmt::format(
      "between an answer and the next request on its connection: {} ms (mean), its threads waited "
      "for a CPU {}, "
      "ran {}, neither {}",
      ms_text(part.turnaround_mean), ms_text(part.turnaround_runq), ms_text(part.turnaround_own),
      ms_text(part.turnaround_idle));
}

std::string occupants_line(const ClientView& view) {
  std::string out;
  for (const ClientOccupant& o : view.occupants) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", escape_text(o.who), percent_text(o.share));
  }
  return out.empty() ? out : "while its threads waited, their CPU was held by: " + out;
}

}  // namespace

std::string text_client(const TextContext& context) {
  if (!context.report.client || context.report.client->parts.empty()) return {};
  const ClientView& view = *context.report.client;
  const std::size_t width = context.options.width;
  const std::string margin(kIndent, ' ');
  std::string out;
  const std::size_t shown = context.options.verbose ? view.parts.size() : 1;
  for (std::size_t i = 0; i < shown; ++i) {
    const ClientPart& part = view.parts[i];
    std::string head = fmt::format("{}, {}: {} requests seen from its end", escape_text(view.who),
                                   part_label(part), count_text(part.requests));
    if (part.missing != 0) head += fmt::format(", {} were not", count_text(part.missing));
    out += '\n' + wrap(context.paint.bold("CLIENT") + "   ", kIndent, head, width);
    out += part_table(context, part);
    for (const std::string& line : {outside_line(part), turnaround_line(part)}) {
      if (!line.empty()) out += wrap(margin, kIndent, line, width);
    }
  }
  if (const std::string line = occupants_line(view); !line.empty()) {
    out += wrap(margin, kIndent, line, width);
  }
  for (std::size_t i = shown; i < view.parts.size(); ++i) {
    const ClientPart& part = view.parts[i];
    out += wrap(
        margin, kIndent,
        fmt::format("{}: {} requests, client p50 {} p99 {}, server p50 {} p99 {} ms",
                    part_label(part), count_text(part.requests), ms_text(part.client_p50),
                    ms_text(part.client_p99), ms_text(part.server_p50), ms_text(part.server_p99)),
        width);
  }
  for (const std::string& note : view.notes) out += wrap(margin, kIndent, escape_text(note), width);
  return out;
}

}  // namespace srvprof
