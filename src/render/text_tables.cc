// Routes x percentiles, and the ledger of slow against ordinary requests.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/escape.h"
#include "render/numbers.h"
#include "render/states.h"
#include "render/text_parts.h"

namespace srvprof {
namespace {

using Align = TextTable::Align;
constexpr std::size_t kMaxRoutes = 20;  // rows that are shown without -v
constexpr std::size_t kRouteColumns = 30;
constexpr double kPercentiles[] = {50, 90, 99, 99.9};

bool several_phases(const Report& report) {
  std::set<std::string_view> names;
  for (const Group& group : report.groups) names.insert(group.phase);
  return names.size() > 1;
}

// "-" where there are too few samples to claim it.
std::string percentile_cell(const Group& group, double p) {
  for (const Percentile& percentile : group.percentiles) {
    if (percentile.p == p) return percentile.enough ? ms_text(percentile.value) : "-";
  }
  return "-";
}

// "runq.wake 31.6  behind 4.2": states that are at least a twentieth of the tail.
std::string made_of(const Group& group, std::size_t columns) {
  const Duration total = group.tail.total();
  if (group.tail_requests == 0 || total <= Duration{}) return "-";
  std::string out;
  for (const auto& [state, time] : largest_states(group.tail, total / 20)) {
    const std::string part =
        fmt::format("{}{} {}", out.empty() ? "" : "  ", name_of(state), ms_text(time));
    if (display_width(out) + display_width(part) > columns) break;
    out += part;
  }
  return out;
}

std::vector<std::string> route_row(const Group& group, bool with_phase, std::size_t columns) {
  std::vector<std::string> cells = {shorten_middle(group_label(group, with_phase), kRouteColumns),
                                    count_text(group.requests)};
  for (double p : kPercentiles) cells.push_back(percentile_cell(group, p));
  cells.push_back(ms_text(group.max));
  // What the table needs beside this column is about 72 columns wide.
  cells.push_back(made_of(group, columns > 104 ? columns - 72 : 32));
  return cells;
}

std::string signed_ms(Duration d) { return (d > Duration{} ? "+" : "") + ms_text(d); }

std::string cell_text(Duration d) { return to_ns(d) == 0 ? "-" : ms_text(d); }

std::string ledger_table(const TextContext& context, const Group& group) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kRight, Align::kRight});
  table.row({"mean ms", "body", "tail", "gap", "  accept", "ready", "service", "write"});
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    const Duration body = group.body.of(state), tail = group.tail.of(state);
    const bool always = state == State::kUnexplained;  // never hidden
    if (!always && to_ns(body) == 0 && to_ns(tail) == 0) continue;
    std::vector<std::string> cells = {std::string(name_of(state)), cell_text(body), cell_text(tail),
                                      signed_ms(tail - body)};
    for (std::size_t p = 0; p < kLifePhases; ++p) cells.push_back(cell_text(group.tail.cell[p][i]));
    table.row(std::move(cells));
  }
  std::vector<std::string> total = {"total", cell_text(group.body.total()),
                                    cell_text(group.tail.total()),
                                    signed_ms(group.tail.total() - group.body.total())};
  for (std::size_t p = 0; p < kLifePhases; ++p) {
    total.push_back(cell_text(group.tail.of(static_cast<LifePhase>(p))));
  }
  table.row(std::move(total));
  if (group.body.unnamed + group.tail.unnamed > Duration{}) {
    table.row({"of it unnamed", cell_text(group.body.unnamed), cell_text(group.tail.unnamed),
               signed_ms(group.tail.unnamed - group.body.unnamed)});
  }
  if (group.body.gc_total() + group.tail.gc_total() > Duration{}) {
    table.row({"of it in GC", cell_text(group.body.gc_total()), cell_text(group.tail.gc_total()),
               signed_ms(group.tail.gc_total() - group.body.gc_total())});
  }
  return table.text("  ", context.paint);
}

}  // namespace

std::string text_routes(const TextContext& context) {
  const std::vector<Group>& groups = context.report.groups;
  if (groups.empty()) return {};
  const bool with_phase = several_phases(context.report);
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight,
                   Align::kRight, Align::kRight, Align::kLeft});
  table.row({"ROUTES  (ms)", "requests", "p50", "p90", "p99", "p99.9", "max", "| tail is made of"});
  const std::size_t shown =
      context.options.verbose ? groups.size() : std::min(groups.size(), kMaxRoutes);
  bool few = false, first = false;
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<std::string> cells = route_row(groups[i], with_phase, context.options.width);
    first = first || groups[i].first_requests;
    few = few || std::count(cells.begin() + 2, cells.end() - 1, "-") > 0;
    cells.back() = "| " + cells.back();
    table.row(std::move(cells));
  }
  std::string out = '\n' + table.text("", context.paint);
  if (few) out += context.paint.dim("  -: too few requests for this percentile") + '\n';
  if (first) {
    out += context.paint.dim("  (first): the first request of each connection, kept apart") + '\n';
  }
  if (shown < groups.size()) {
    out += fmt::format("  {} more: -v, or --route\n", groups.size() - shown);
  }
  return out;
}

std::string text_ledgers(const TextContext& context) {
  std::string out;
  const std::vector<Group>& groups = context.report.groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (i != 0 && !context.options.verbose) break;
    const Group& group = groups[i];
    if (group.tail_requests == 0 && group.body_requests == 0) continue;
    out += '\n' + wrap(context.paint.bold("LEDGER") + "  ", 8,
                       fmt::format("{}: {} ordinary requests (body), {} slow ones (tail, by phase)",
                                   group_label(group, true), count_text(group.body_requests),
                                   count_text(group.tail_requests)),
                       context.options.width);
    out += ledger_table(context, group);
  }
  return out;
}

}  // namespace srvprof
