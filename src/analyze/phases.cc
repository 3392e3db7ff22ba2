#include "analyze/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analyze/load_stages.h"
#include "analyze/phase_bins.h"
#include "analyze/phase_pieces.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kOutside = 500ms;  // before or after a load command: less is part of its load

// `used`: how often a name was asked for; a recording from elsewhere may have a million marks of one name.
std::string unique_name(std::map<std::string, int>& used, const std::string& name) {
  int& n = used[name];
  if (n == 0) return n = 1, name;
  std::string candidate = name;
  while (used.contains(candidate)) candidate = fmt::format("{}-{}", name, ++n);
  used[candidate] = 1;
  return candidate;
}

std::vector<LoadPhase> by_change_points(const Trace& trace) {
  const LoadBins b = load_bins(trace);
  const std::vector<LoadPiece> pieces = load_pieces(b);
  std::vector<LoadPhase> phases;
  std::map<std::string, int> used;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const LoadPiece& piece = pieces[i];
    LoadPhase phase;
    phase.name = unique_name(used, piece_name(b, pieces, i));
    phase.begin = b.at(piece.from);
    phase.end = i + 1 < pieces.size() ? b.at(piece.to) : trace.t_end;
    phase.why = piece.why;
    if (phase.why.empty() && i > 0) {
      phase.why = fmt::format("throughput {} -> {}",
                              rate_words(piece_level(b, pieces[i - 1]).rate),
                              rate_words(piece_level(b, piece).rate));
    }
    if (phase.why.empty()) phase.why = "attach";
    phases.push_back(std::move(phase));
  }
  return phases;
}

// The start and end of the command that srvprof started are known to the nanosecond: the idle
// phases at the ends of the recording give way to them.
void apply_load_command(const Trace& trace, std::vector<LoadPhase>& phases) {
  if (trace.loads.size() != 1 || phases.empty()) return;
  const rows::Load& load = trace.loads.front();
  const auto drop_idle = [&](bool front) {
    LoadPhase& edge = front ? phases.front() : phases.back();
    if (phases.size() < 2 || !is_idle(edge)) return;
    const Duration outside = front ? load.t_start - trace.t_begin : trace.t_end - load.t_end;
    LoadPhase& next = front ? phases[1] : phases[phases.size() - 2];
    const bool keep = outside >= kOutside;
    if (front) {
      next.begin = keep ? std::clamp(load.t_start, edge.begin, edge.end) : edge.begin;
      next.why = "srvprof started the load";
      edge.end = next.begin;
    } else {
      next.end = keep ? std::clamp(load.t_end, edge.begin, edge.end) : edge.end;
      edge.begin = next.end;
      edge.why = "the load ended";
    }
    if (edge.begin >= edge.end) phases.erase(front ? phases.begin() : phases.end() - 1);
  };
  if (known(load.t_start)) drop_idle(true);
  if (known(load.t_end)) drop_idle(false);
  if (!is_idle(phases.front()) && load.t_start - trace.t_begin < kOutside) {
    phases.front().why = "srvprof started the load";
  }
}

std::string why_of(const rows::PhaseMark& mark) {
  if (mark.source == "file") return "by --phases";
  if (mark.source == "stage") return "a stage of the load command";
  return "marked by the user";
}

std::vector<LoadPhase> by_marks(const Trace& trace, const std::vector<rows::PhaseMark>& marks) {
  std::vector<LoadPhase> phases;
  std::map<std::string, int> used;
  if (marks.front().t > trace.t_begin) {
    phases.push_back({unique_name(used, "unmarked"), trace.t_begin, marks.front().t, "before the first mark", 0});
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Time begin = std::max(marks[i].t, trace.t_begin);
    const Time end = i + 1 < marks.size() ? std::min(marks[i + 1].t, trace.t_end) : trace.t_end;
    if (end <= begin) continue;
    phases.push_back({unique_name(used, marks[i].name.empty() ? "marked" : marks[i].name), begin,
                      end, why_of(marks[i]), 0});
  }
  return phases;
}

// What overrides change points: --phases before marks before the stages of the load command.
std::vector<rows::PhaseMark> overriding_marks(const Trace& trace) {
  for (const char* source : {"file", "mark"}) {
    std::vector<rows::PhaseMark> marks;
    for (const rows::PhaseMark& mark : trace.phase_marks) {
      if (mark.source == source && mark.t < trace.t_end) marks.push_back(mark);
    }
    std::stable_sort(marks.begin(), marks.end(),
                     [](const auto& a, const auto& b) { return a.t < b.t; });
    if (!marks.empty()) return marks;
  }
  return stage_marks(trace);
}

}  // namespace

std::vector<LoadPhase> load_phases(const Trace& trace) {
  const std::vector<rows::PhaseMark> marks = overriding_marks(trace);
  std::vector<LoadPhase> phases;
  if (!marks.empty()) {
    phases = by_marks(trace, marks);
  } else {
    phases = by_change_points(trace);
    apply_load_command(trace, phases);
  }
  if (phases.empty()) phases.push_back({"steady", trace.t_begin, trace.t_end, "attach", 0});
  for (const Request& r : trace.requests) ++phases[phase_at(phases, r.t_arrive)].requests;
  return phases;
}

std::size_t phase_at(const std::vector<LoadPhase>& phases, Time t) {
  const auto after = std::upper_bound(phases.begin(), phases.end(), t,
                                      [](Time at, const LoadPhase& p) { return at < p.begin; });
  return after == phases.begin() ? 0 : static_cast<std::size_t>(after - phases.begin()) - 1;
}

bool is_idle(const LoadPhase& phase) { return phase.name.rfind("idle", 0) == 0; }

}  // namespace srvprof
