#include "analyze/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/causes/cause.h"
#include "analyze/compare_facts.h"
#include "analyze/percentiles.h"
#include "analyze/permutation.h"
#include "analyze/phases.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostBlocks = 40;  // a run: longer blocks in longer runs
constexpr double kLeastShare = 0.05;     // of the gap in one of the runs
// As in findings: less than 1 ms of a tail is the machine's noise, also where it is no chance.
constexpr double kTail = 90;  // percentile
constexpr Duration kLeastTail = 1ms;
constexpr std::size_t kMostStates = 8, kMostRoutes = 8;

bool is_warm_up(const LoadPhase& phase) { return phase.name.starts_with("warm-up"); }

// A phase to compare in both runs; begin == end where it is missing.
struct Pair {
  std::string name;
  Window a, b;
};

std::vector<LoadPhase> loaded(const std::vector<LoadPhase>& phases) {
  std::vector<LoadPhase> out;
  for (const LoadPhase& p : phases) {
    if (!is_idle(p) && !is_warm_up(p)) out.push_back(p);
  }
  return out;
}

std::string names_of(const std::vector<LoadPhase>& phases) {
  std::string out;
  for (const LoadPhase& p : phases) out += (out.empty() ? "" : ", ") + p.name;
  return out.empty() ? "no load at all" : out;
}

std::size_t blocks_in(const Window& w, Duration block) {
  return static_cast<std::size_t>((w.end - w.begin) / block);
}

// All of the load but its warm-up; with it where too little would be left.
Window whole_load(const std::vector<LoadPhase>& phases) {
  Window all, later;
  for (const LoadPhase& p : phases) {
    if (is_idle(p)) continue;
    for (Window* w : {&all, &later}) {
      if (w == &later && is_warm_up(p)) continue;
      if (!known(w->begin)) w->begin = p.begin;
      w->end = p.end;
    }
  }
  return blocks_in(later, 1s) >= kFewestBlocks ? later : all;
}

// The phases that both runs have; `out.refused` says why they do not match.
std::vector<Pair> pairs_of(const Report& a, const Report& b, const CompareOptions& options,
                           Comparison& out) {
  const std::vector<LoadPhase> in_a = loaded(a.phases), in_b = loaded(b.phases);
  if (in_a.empty() || in_b.empty()) {
    out.refused = fmt::format("{} has no phase under load", in_a.empty() ? out.file_a : out.file_b);
    return {};
  }
  if (options.mix_phases) {
    return {{"all of the load", whole_load(a.phases), whole_load(b.phases)}};
  }
  std::vector<Pair> pairs;
  if (!options.phase.empty()) {
    Pair pair{options.phase, {}, {}};
    for (const LoadPhase& p : a.phases)
      if (p.name == options.phase) pair.a = {p.begin, p.end};
    for (const LoadPhase& p : b.phases)
      if (p.name == options.phase) pair.b = {p.begin, p.end};
    if (known(pair.a.begin) && known(pair.b.begin)) return {pair};
    out.refused = fmt::format("{} has no phase '{}'", known(pair.a.begin) ? out.file_b : out.file_a,
                              options.phase);
    out.hint = fmt::format("the phases are {}; and {}", names_of(a.phases), names_of(b.phases));
    return {};
  }
  if (names_of(in_a) != names_of(in_b)) {
    out.refused = fmt::format("their phases do not match: {} in {}, {} in {}", names_of(in_a),
                              out.file_a, names_of(in_b), out.file_b);
    out.hint =
        "--phase NAME compares one, --phases FILE names them by hand, --mix-phases takes all "
        "of the load as one";
    return {};
  }
  for (std::size_t i = 0; i < in_a.size(); ++i) {
    pairs.push_back({in_a[i].name, {in_a[i].begin, in_a[i].end}, {in_b[i].begin, in_b[i].end}});
  }
  return pairs;
}

// Whole blocks only. `route` 0 = all.
std::vector<LatencyBlock> blocks_of(const Trace& trace, const Window& w, Duration block,
                                    const std::string& route) {
  std::vector<LatencyBlock> out(blocks_in(w, block));
  for (const Request& r : trace.requests) {
    if (r.t_arrive < w.begin || r.stream) continue;
    const auto at = static_cast<std::size_t>((r.t_arrive - w.begin) / block);
    if (at >= out.size() || (!route.empty() && trace.routes[r.route.value] != route)) continue;
    out[at].add(r.latency());
  }
  return out;
}

std::vector<Duration> latencies_of(const Trace& trace, const Window& w, const std::string& route) {
  std::vector<Duration> out;
  for (const Request& r : trace.requests) {
    if (r.t_arrive < w.begin || r.t_arrive >= w.end || r.stream) continue;
    if (route.empty() || trace.routes[r.route.value] == route) out.push_back(r.latency());
  }
  std::sort(out.begin(), out.end());
  return out;
}

void apply(const TestResult& test, Change& change) {
  change.tested = true;
  change.p_value = test.p_value;
  change.different = test.different;
}

std::vector<Change> latency_changes(const Trace& a, const Trace& b, const Pair& pair,
                                    Duration block, const std::string& route) {
  const auto blocks_a = blocks_of(a, pair.a, block, route),
             blocks_b = blocks_of(b, pair.b, block, route);
  const auto all_a = latencies_of(a, pair.a, route), all_b = latencies_of(b, pair.b, route);
  std::vector<Change> out;
  for (const double p : {50.0, 90.0, 99.0, 99.9}) {
    if (all_a.empty() || all_b.empty()) break;
    Change change;
    change.name = fmt::format("p{:g}", p);
    change.unit = "ms";
    change.a = to_ms(all_a[rank_of(p, all_a.size())]);
    change.b = to_ms(all_b[rank_of(p, all_b.size())]);
    if (enough_for(p, all_a.size()) && enough_for(p, all_b.size())) {
      apply(test_percentile(blocks_a, blocks_b, p), change);
      if (change.different && p >= kTail && std::abs(change.b - change.a) < to_ms(kLeastTail)) {
        change.different = false;
        change.note = "below 1 ms";
      }
    } else {
      change.note = "too few requests";
    }
    out.push_back(std::move(change));
  }
  return out;
}

double rate_of(const std::vector<LatencyBlock>& blocks, Duration block) {
  double n = 0;
  for (const LatencyBlock& b : blocks) n += static_cast<double>(b.count());
  return n / to_seconds(block) / static_cast<double>(blocks.size());
}

const Group* group_of(const Report& report, const std::string& route, const std::string& phase) {
  const Group* best = nullptr;
  for (const Group& g : report.groups) {
    if (g.route != route || g.first_requests || (!phase.empty() && g.phase != phase)) continue;
    if (best == nullptr || g.requests > best->requests) best = &g;
  }
  return best;
}

std::vector<StateChange> state_changes(const Group& a, const Group& b) {
  std::vector<StateChange> out;
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    const Duration x = a.tail.of(state), y = b.tail.of(state);
    if (x != y) out.push_back({state, x, y});
  }
  std::stable_sort(out.begin(), out.end(), [](const StateChange& x, const StateChange& y) {
    return std::chrono::abs(x.b - x.a) > std::chrono::abs(y.b - y.a);
  });
  if (out.size() > kMostStates) out.resize(kMostStates);
  return out;
}

std::string culprit_of(const Finding& f) {
  if (f.culprits.empty()) return {};
  const Culprit& c = f.culprits.front();
  std::string out = c.what;
  if (!c.comm.empty()) out += (out.empty() ? "" : ": ") + c.comm;
  if (c.pid != 0) out += fmt::format(" (pid {})", c.pid);
  return out;
}

std::vector<CauseChange> cause_changes(const Group& a, const Group& b) {
  std::map<std::string, CauseChange> by_cause;
  const auto take = [&](const Group& g, bool second) {
    for (const Finding& f : g.findings) {
      if (f.of_body || f.share < kLeastShare) continue;
      CauseChange& c = by_cause[f.cause];
      c.cause = f.cause;
      const Cause* known_cause = find_cause(f.cause);
      c.title = known_cause != nullptr ? std::string(known_cause->title) : f.title;
      (second ? c.gap_b : c.gap_a) = f.gap;
      (second ? c.share_b : c.share_a) = f.share;
      (second ? c.culprit_b : c.culprit_a) = culprit_of(f);
    }
  };
  take(a, false);
  take(b, true);
  std::vector<CauseChange> out;
  for (auto& [cause, c] : by_cause) out.push_back(std::move(c));
  std::stable_sort(out.begin(), out.end(), [](const CauseChange& x, const CauseChange& y) {
    return std::chrono::abs(x.gap_b - x.gap_a) > std::chrono::abs(y.gap_b - y.gap_a);
  });
  return out;
}

void add_routes(const Trace& a, const Report& report_a, const Trace& b, const Report& report_b,
                const Pair& pair, bool mixed, PhaseChange& out) {
  std::vector<std::pair<std::uint64_t, std::string>> routes;
  for (const Group& g : report_a.groups) {
    if (g.first_requests || (!mixed && g.phase != pair.name)) continue;
    const bool seen = std::any_of(routes.begin(), routes.end(),
                                  [&](const auto& r) { return r.second == g.route; });
    if (!seen) routes.emplace_back(g.requests, g.route);
  }
  std::stable_sort(routes.begin(), routes.end(),
                   [](const auto& x, const auto& y) { return x.first > y.first; });
  for (const auto& [n, route] : routes) {
    if (out.routes.size() >= kMostRoutes) break;
    const std::string phase = mixed ? std::string() : pair.name;
    const Group* in_a = group_of(report_a, route, phase);
    const Group* in_b = group_of(report_b, route, phase);
    if (in_a == nullptr || in_b == nullptr) continue;
    RouteChange change;
    change.route = route;
    change.requests_a = in_a->requests;
    change.requests_b = in_b->requests;
    change.latency = latency_changes(a, b, pair, out.block, route);
    change.tail = state_changes(*in_a, *in_b);
    change.causes = cause_changes(*in_a, *in_b);
    out.routes.push_back(std::move(change));
  }
}

// Blocks of one second, longer where there would be many; an error in words if there are too few.
std::optional<PhaseChange> figures_of(const Trace& a, const Trace& b, const Pair& pair,
                                      Comparison& out) {
  PhaseChange phase;
  phase.phase = pair.name;
  const Duration longest = std::max(pair.a.end - pair.a.begin, pair.b.end - pair.b.begin);
  phase.block = std::max<Duration>(1s, longest / static_cast<std::int64_t>(kMostBlocks));
  phase.blocks_a = blocks_in(pair.a, phase.block);
  phase.blocks_b = blocks_in(pair.b, phase.block);
  if (std::min(phase.blocks_a, phase.blocks_b) < kFewestBlocks) {
    const bool is_a = phase.blocks_a < phase.blocks_b;
    const Window& w = is_a ? pair.a : pair.b;
    out.refused = fmt::format("phase '{}' of {} lasts {:.1f} s: too short to compare", pair.name,
                              is_a ? out.file_a : out.file_b, to_seconds(w.end - w.begin));
    out.hint = fmt::format("blocks of a second are compared, at least {} of them in each run",
                           kFewestBlocks);
    return std::nullopt;
  }
  const auto blocks_a = blocks_of(a, pair.a, phase.block, {});
  const auto blocks_b = blocks_of(b, pair.b, phase.block, {});
  Change rate{"throughput",
              "requests/s",
              rate_of(blocks_a, phase.block),
              rate_of(blocks_b, phase.block),
              {},
              false,
              false,
              ""};
  apply(test_rate(blocks_a, blocks_b), rate);
  phase.figures.push_back(std::move(rate));
  for (Change& c : latency_changes(a, b, pair, phase.block, {}))
    phase.figures.push_back(std::move(c));
  return phase;
}

std::string change_words(const Change& c) {
  const double percent = c.a > 0 ? (c.b / c.a - 1) * 100 : 0;
  const char* form =
      c.unit == "ms" ? "{} {:.3g} -> {:.3g} ms ({:+.0f} %)" : "{} {:.0f} -> {:.0f}/s ({:+.0f} %)";
  return fmt::format(fmt::runtime(form), c.name, c.a, c.b, percent);
}

void conclude(Comparison& out) {
  std::string sentence;
  double rate_ratio = 1;
  for (const PhaseChange& phase : out.phases) {
    std::string changes;
    for (const Change& c : phase.figures) {
      if (!c.different || c.name == "p99.9" || c.name == "p90") continue;
      changes += (changes.empty() ? "" : ", ") + change_words(c);
      if (c.unit != "ms" && c.a > 0) rate_ratio = c.b / c.a;
    }
    if (changes.empty()) continue;
    sentence += fmt::format("{}{}: {}", sentence.empty() ? "" : "; ", phase.phase, changes);
  }
  out.different = !sentence.empty();
  out.verdict.push_back(out.different
                            ? "different in " + sentence
                            : fmt::format("no difference: throughput, p50 and p99 differ by less "
                                          "than {:.0f} %, or by no more than chance",
                                          kLeastEffect * 100));
  if (!out.different) return;
  for (std::string& line : machine_words(out.processes, rate_ratio)) {
    out.verdict.push_back(std::move(line));
  }
  for (const PhaseChange& phase : out.phases) {
    if (phase.routes.empty() || phase.routes.front().causes.empty()) continue;
    const CauseChange& c = phase.routes.front().causes.front();
    if (std::chrono::abs(c.gap_b - c.gap_a) < 1ms) continue;
    const std::string& culprit = c.gap_b > c.gap_a ? c.culprit_b : c.culprit_a;
    out.verdict.push_back(fmt::format(
        "slow requests of {}: {}{}: {} -> {}", phase.routes.front().route, c.title,
        culprit.empty() ? "" : " (" + culprit + ")", ms_words(c.gap_a), ms_words(c.gap_b)));
  }
}

}  // namespace

Comparison compare(const Trace& a, const Report& report_a, const Trace& b, const Report& report_b,
                   const CompareOptions& options) {
  Comparison out;
  out.file_a = report_a.header.file;
  out.file_b = report_b.header.file;
  std::vector<Window> in_a, in_b;
  for (const Pair& pair : pairs_of(report_a, report_b, options, out)) {
    auto phase = figures_of(a, b, pair, out);
    if (!phase) break;
    add_routes(a, report_a, b, report_b, pair, options.mix_phases, *phase);
    if (phase->routes.empty()) {
      out.refused = fmt::format("phase '{}': the runs have no route in common", pair.name);
      break;
    }
    out.phases.push_back(std::move(*phase));
    in_a.push_back(pair.a);
    in_b.push_back(pair.b);
  }
  if (!out.refused.empty()) {
    out.phases.clear();
    return out;
  }
  out.facts = changed_facts(a, in_a, b, in_b);
  out.processes = changed_processes(a, in_a, b, in_b);
  conclude(out);
  return out;
}

}  // namespace srvprof
