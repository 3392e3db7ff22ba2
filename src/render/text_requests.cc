// Exemplars: single requests, one ledger each.
#include <fmt/format.h>

#include "base/escape.h"
#include "render/all.h"
#include "render/exemplar_tiles.h"
#include "render/layout.h"
#include "render/numbers.h"
#include "render/states.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostTiles = 40;  // of a request of more the longest

std::string exemplar_head(const Exemplar& exemplar, Time origin, const Paint& paint) {
  const std::string& path = exemplar.path.empty() ? exemplar.route : exemplar.path;
  std::string out = fmt::format("{}  {}  {}  at +{} s", paint.bold(fmt::format("#{}", exemplar.id)),
                                paint.bold(duration_text(exemplar.latency)),
                                shorten_middle(escape_text(path), 48),
                                fmt::format("{:.6f}", to_seconds(exemplar.t_arrive - origin)));
  if (exemplar.status != 0) out += fmt::format("  status {}", exemplar.status);
  if (!exemplar.phase.empty()) out += fmt::format("  [{}]", escape_text(exemplar.phase));
  if (!exemplar.flags.empty()) out += "  " + escape_text(exemplar.flags);
  return out + '\n';
}

std::string exemplar_sums(const Exemplar& exemplar, std::size_t width) {
  std::string line;
  for (const auto& [state, time] : largest_states(exemplar.ledger, Duration{})) {
    line += fmt::format("{}{} {}", line.empty() ? "" : "  ", name_of(state), ms_text(time));
  }
  return line.empty() ? line : wrap("  ms: ", 6, line, width);
}

std::string exemplar_client(const Exemplar& exemplar, std::size_t width) {
  if (!exemplar.client) return {};
  std::string line;
  for (std::size_t i = 0; i < kClientLines; ++i) {
    const Duration d = exemplar.client->line[i];
    if (d == Duration{}) continue;
    line += fmt::format("{}{} {}", line.empty() ? "" : "  ", name_of(static_cast<ClientLine>(i)), ms_text(d));
  }
  return wrap("  client: ", 6, fmt::format("{} ms = {}", ms_text(exemplar.client->latency()), line), width);
}

std::string exemplar_tiles(const Exemplar& exemplar, std::size_t width, const Paint& paint) {
  using Align = TextTable::Align;
  TextTable table({Align::kRight, Align::kRight, Align::kLeft, Align::kLeft, Align::kLeft});
  table.row({"at ms", "ms", "phase", "state", "who, where"});
  const ShownTiles shown = longest_tiles(exemplar, kMostTiles);
  for (const ExemplarTile* at : shown.tiles) {
    const ExemplarTile& tile = *at;
    std::string who = escape_text(tile.who);
    if (!tile.where.empty()) who += (who.empty() ? "in " : ", in ") + escape_text(tile.where);
    table.row({ms_text(tile.offset), ms_text(tile.length), std::string(name_of(tile.phase)),
               std::string(name_of(tile.state)), shorten(who, width > 80 ? width - 46 : 40)});
  }
  std::string out = table.text("    ", paint);
  if (shown.left_out != 0) {
    out += fmt::format("    {} shorter pieces are left out, {} together\n", shown.left_out,
                       duration_text(shown.left_out_time));
  }
  return out;
}

}  // namespace

Status render_requests(const Document& document, const RenderOptions& options,
                       const ByteSink& sink) {
  const Paint paint(options.color);
  std::string out;
  for (const Exemplar& exemplar : document.report->exemplars) {
    if (!out.empty()) out += '\n';
    out += exemplar_head(exemplar, document.origin(), paint);
    out += exemplar_sums(exemplar, options.width);
    out += exemplar_client(exemplar, options.width);
    out += exemplar_tiles(exemplar, options.width, paint);
  }
  if (out.empty()) out = "no request matches\n";
  return sink(out);
}

}  // namespace srvprof
