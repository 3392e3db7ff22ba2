#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/escape.h"
#include "render/diff.h"
#include "render/layout.h"
#include "render/numbers.h"

namespace srvprof {
namespace {

using Align = TextTable::Align;
constexpr std::size_t kMostProcesses = 10;
constexpr std::size_t kRouteColumns = 44;

std::string value_text(const Change& c, double v) {
  if (c.unit == "ms") return ms_text(Duration(std::llround(v * 1e6)));
  if (std::abs(v) >= 1000) return count_text(static_cast<std::uint64_t>(std::llround(std::abs(v))));
  return fmt::format("{:.{}f}", v, std::abs(v) >= 100 || v == std::floor(v) ? 0 : 2);
}

std::string percent_change(double a, double b) {
  if (a == 0 || !std::isfinite(b / a)) return a == b ? "-" : "new";
  const double percent = (b / a - 1) * 100;
  return std::abs(percent) < 0.5 ? "0 %" : fmt::format("{:+.0f} %", percent);
}

std::string judgement(const Paint& paint, const Change& c) {
  if (!c.note.empty()) return c.note;
  if (!c.tested) return "";
  if (!c.p_value) return "below 10 %";
  const std::string p = fmt::format("p {:.4f}", *c.p_value);
  return c.different ? paint.bold("different") + ", " + p : "chance, " + p;
}

void add_rows(const Paint& paint, const std::vector<Change>& changes, TextTable& table) {
  for (const Change& c : changes) {
    table.row({escape_text(c.name) + (c.unit.empty() ? "" : ", " + c.unit), value_text(c, c.a),
               value_text(c, c.b), percent_change(c.a, c.b), judgement(paint, c)});
  }
}

TextTable figures_table() {
  return TextTable({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kLeft});
}

std::string route_text(const Paint& paint, const RouteChange& route) {
  std::string out = fmt::format("\n  {}  {} and {} requests\n",
                                paint.bold(shorten_middle(escape_text(route.route), kRouteColumns)),
                                count_text(route.requests_a), count_text(route.requests_b));
  TextTable figures = figures_table();
  figures.row({"latency", "first", "second", "change", ""});
  add_rows(paint, route.latency, figures);
  out += figures.text("    ", paint);
  TextTable tail({Align::kLeft, Align::kRight, Align::kRight, Align::kRight});
  tail.row({"slow requests, mean ms", "first", "second", "change"});
  for (const StateChange& s : route.tail) {
    const Duration d = s.b - s.a;
    tail.row({std::string(name_of(s.state)), ms_text(s.a), ms_text(s.b),
              (d > Duration{} ? "+" : "") + ms_text(d)});
  }
  out += tail.text("    ", paint);
  if (route.causes.empty()) return out;
  TextTable causes({Align::kLeft, Align::kRight, Align::kRight, Align::kLeft});
  causes.row({"causes, ms of the gap (share)", "first", "second", "who"});
  const auto cell = [](Duration gap, double share) {
    return share == 0 ? std::string("-")
                      : fmt::format("{} ({})", ms_text(gap), percent_text(share));
  };
  for (const CauseChange& c : route.causes) {
    const std::string& who = c.gap_b >= c.gap_a ? c.culprit_b : c.culprit_a;
    causes.row({c.cause, cell(c.gap_a, c.share_a), cell(c.gap_b, c.share_b),
                shorten(escape_text(who), kRouteColumns)});
  }
  return out + causes.text("    ", paint);
}

std::string phase_text(const Paint& paint, const PhaseChange& phase) {
  std::string out = fmt::format("\n{}  {}: {} against {} blocks of {:.1f} s\n", paint.bold("PHASE"),
                                escape_text(phase.phase), phase.blocks_a, phase.blocks_b,
                                to_seconds(phase.block));
  TextTable figures = figures_table();
  figures.row({"all routes", "first", "second", "change", ""});
  add_rows(paint, phase.figures, figures);
  out += figures.text("  ", paint);
  for (const RouteChange& route : phase.routes) out += route_text(paint, route);
  return out;
}

std::string machine_text(const Paint& paint, const Comparison& c) {
  TextTable facts = figures_table();
  facts.row({"CONNECTIONS, PLACEMENT", "first", "second", "change", ""});
  add_rows(paint, c.facts, facts);
  std::string out = '\n' + facts.text("", paint);
  TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
  table.row({"MACHINE, CPUs", "first", "second", "queued, first", "queued, second"});
  for (std::size_t i = 0; i < std::min(c.processes.size(), kMostProcesses); ++i) {
    const ProcessChange& p = c.processes[i];
    const std::size_t n = std::max(p.processes_a, p.processes_b);
    std::string name = escape_text(p.comm);
    if (n > 1) name += fmt::format(" ({} processes)", n);
    if (!p.role.empty()) name += ", the " + p.role;
    table.row({name, decimal_text(p.cpus_a), decimal_text(p.cpus_b), decimal_text(p.runq_a),
               decimal_text(p.runq_b)});
  }
  return out + '\n' + table.text("", paint);
}

}  // namespace

std::string comparison_text(const Comparison& c, const RenderOptions& options) {
  const Paint paint(options.color);
  std::string out =
      wrap(paint.bold("srvprof diff:") + " ", 2,
           fmt::format("first {}, second {}", escape_text(c.file_a), escape_text(c.file_b)),
           options.width);
  for (std::size_t i = 0; i < c.verdict.size(); ++i) {
    out += (i == 0 ? "\n" : "") + wrap(i == 0 ? paint.bold("VERDICT") + "  " : std::string(9, ' '),
                                       9, escape_text(c.verdict[i]), options.width);
  }
  for (const PhaseChange& phase : c.phases) out += phase_text(paint, phase);
  return out + machine_text(paint, c);
}

}  // namespace srvprof
