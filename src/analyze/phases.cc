#include "analyze/phases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/pelt.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kBin = 250ms;
constexpr std::size_t kMaxBins = 20'000;  // longer recordings get wider bins
constexpr std::size_t kMinSegment = 4;    // bins, 1 s
constexpr std::size_t kAgree = 2;         // bins between the change points of two signals
constexpr double kIdleShare = 0.01;       // of the peak throughput
constexpr double kEffect = 0.2;           // a boundary moves both signals by at least this
constexpr Duration kShortRun = 4s;        // busy time below this is one phase
constexpr Duration kWarmUpMost = 15s;
constexpr double kWarmUpFall = 1.2;  // p50 of a warm-up over that of what follows

struct Bin {
  std::size_t requests = 0;
  double p50_ns = 0;     // carried over from the bin before if there are too few requests
  bool covered = false;  // some request was open all through it: a stall, not idleness
};

struct Bins {
  Time begin;
  Duration width = kBin;
  std::vector<Bin> bins;
  Time at(std::size_t i) const { return begin + width * static_cast<std::int64_t>(i); }
};

// A run of bins [from, to) that is one phase.
struct Piece {
  std::size_t from = 0, to = 0;
  bool idle = false;
  std::string why;
};

std::size_t bin_of(const Bins& b, Time t) {
  if (t <= b.begin) return 0;
  return std::min(static_cast<std::size_t>((t - b.begin) / b.width), b.bins.size() - 1);
}

void mark_covered(const Trace& trace, Bins& b) {
  std::vector<int> steps(b.bins.size() + 1, 0);
  for (const Request& r : trace.requests) {
    if (r.stream || r.latency() < b.width) continue;
    const std::size_t from = bin_of(b, r.t_arrive) + 1, to = bin_of(b, r.t_done);
    if (from >= to) continue;
    ++steps[from];
    --steps[to];
  }
  int open = 0;
  for (std::size_t i = 0; i < b.bins.size(); ++i) {
    open += steps[i];
    b.bins[i].covered = open > 0;
  }
}

Bins bins_of(const Trace& trace) {
  Bins b;
  b.begin = trace.t_begin;
  const Duration span = std::max(trace.t_end - trace.t_begin, Duration(1));
  while (span / b.width >= static_cast<std::int64_t>(kMaxBins)) b.width *= 2;
  // Whole bins only: what is left at the end is too short to tell a level.
  b.bins.resize(std::max<std::size_t>(1, static_cast<std::size_t>(span / b.width)));
  std::vector<std::vector<std::int64_t>> latencies(b.bins.size());
  for (const Request& r : trace.requests) {
    if (r.stream || (b.bins.size() > 1 && r.t_arrive >= b.at(b.bins.size()))) continue;
    latencies[bin_of(b, r.t_arrive)].push_back(r.latency().count());
  }
  double carried = 0;
  for (std::size_t i = 0; i < b.bins.size(); ++i) {
    auto& v = latencies[i];
    b.bins[i].requests = v.size();
    if (v.size() >= 5) {
      const auto middle = v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2);
      std::nth_element(v.begin(), middle, v.end());
      carried = static_cast<double>(*middle);
    }
    b.bins[i].p50_ns = carried;
  }
  mark_covered(trace, b);
  return b;
}

double peak_of(const Bins& b) {
  std::vector<std::size_t> counts;
  for (const Bin& bin : b.bins) {
    if (bin.requests > 0) counts.push_back(bin.requests);
  }
  if (counts.empty()) return 0;
  // The 95th percentile of the busy bins: one burst is not the peak of the load.
  const auto at = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() * 95 / 100);
  std::nth_element(counts.begin(), at, counts.end());
  return static_cast<double>(*at);
}

// Idle runs shorter than a segment inside the load are left to the load; at the ends half a second
// is enough, since nobody waits there. A load of few requests has empty bins without being idle:
// the run must miss kMissed requests, or last 5 s.
std::vector<Piece> idle_and_busy(const Bins& b) {
  constexpr double kMissed = 20;
  const double peak = peak_of(b);
  const double threshold = kIdleShare * peak;
  const std::size_t n = b.bins.size();
  double total = 0, used = 0;
  for (const Bin& bin : b.bins) {
    total += static_cast<double>(bin.requests);
    used += bin.requests > 0 ? 1 : 0;
  }
  // Of a thin load most bins are empty by chance: what an ordinary bin holds is the mean over all.
  const bool thin = total < 2 * used;
  const double ordinary = thin ? total / static_cast<double>(n) : peak;
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < n;) {
    const auto idle = [&](std::size_t k) {
      return !b.bins[k].covered && static_cast<double>(b.bins[k].requests) <= threshold;
    };
    std::size_t end = i + 1;
    while (end < n && idle(end) == idle(i)) ++end;
    const bool at_edge = i == 0 || end == n;
    const bool long_enough = end - i >= (at_edge ? 2 : kMinSegment);
    const bool missed =
        ordinary * static_cast<double>(end - i) >= kMissed || (!thin && end - i >= 20);
    const bool is_idle_run = idle(i) && long_enough && (missed || peak == 0);
    if (!pieces.empty() && pieces.back().idle == is_idle_run) {
      pieces.back().to = end;
    } else {
      pieces.push_back({i, end, is_idle_run, {}});
    }
    i = end;
  }
  return pieces;
}

struct Level {
  double rate = 0, p50_ns = 0;  // requests per second, median of the bins' medians
};

Level level_of(const Bins& b, std::size_t from, std::size_t to) {
  Level level;
  std::vector<double> p50s;
  std::size_t requests = 0;
  for (std::size_t i = from; i < to; ++i) {
    requests += b.bins[i].requests;
    p50s.push_back(b.bins[i].p50_ns);
  }
  if (p50s.empty()) return level;
  std::sort(p50s.begin(), p50s.end());
  level.p50_ns = p50s[p50s.size() / 2];
  level.rate = static_cast<double>(requests) / to_seconds(b.width * static_cast<int>(to - from));
  return level;
}

bool moved(double before, double after) {
  return std::abs(std::log(std::max(after, 1e-9) / std::max(before, 1e-9))) > std::log1p(kEffect);
}

std::string rate_words(double per_second) {
  if (per_second >= 10'000) return fmt::format("{:.0f}k/s", per_second / 1000);
  if (per_second >= 1'000) return fmt::format("{:.1f}k/s", per_second / 1000);
  return fmt::format("{:.0f}/s", per_second);
}

std::string why_words(const Level& before, const Level& after) {
  return fmt::format("throughput {} -> {}, p50 {} -> {}", rate_words(before.rate),
                     rate_words(after.rate), ms_words(Duration(std::llround(before.p50_ns))),
                     ms_words(Duration(std::llround(after.p50_ns))));
}

// Bins at which both throughput and p50 begin a new level.
std::vector<std::size_t> agreed_cuts(const Bins& b, std::size_t from, std::size_t to) {
  std::vector<double> rate, p50;
  for (std::size_t i = from; i < to; ++i) {
    rate.push_back(std::log(1.0 + static_cast<double>(b.bins[i].requests)));
    p50.push_back(std::log(1.0 + b.bins[i].p50_ns));
  }
  const auto by_rate = change_points(rate, kMinSegment, 0.02);
  const auto by_p50 = change_points(p50, kMinSegment, 0.02);
  std::vector<std::size_t> cuts;
  for (const std::size_t r : by_rate) {
    for (const std::size_t p : by_p50) {
      if ((r > p ? r - p : p - r) > kAgree) continue;
      if (cuts.empty() || from + r >= cuts.back() + kMinSegment) cuts.push_back(from + r);
      break;
    }
  }
  return cuts;
}

// A change must be large on both sides of the cut, else the pieces are joined again.
void cut_busy(const Bins& b, const Piece& piece, std::vector<Piece>& out) {
  Piece current{piece.from, piece.to, false, {}};
  const bool is_short = b.width * static_cast<std::int64_t>(piece.to - piece.from) < kShortRun;
  const auto cuts = is_short ? std::vector<std::size_t>{} : agreed_cuts(b, piece.from, piece.to);
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const std::size_t next_end = k + 1 < cuts.size() ? cuts[k + 1] : piece.to;
    const Level before = level_of(b, current.from, cuts[k]);
    const Level after = level_of(b, cuts[k], next_end);
    if (!moved(before.rate, after.rate) || !moved(before.p50_ns, after.p50_ns)) continue;
    current.to = cuts[k];
    out.push_back(current);
    current = Piece{cuts[k], piece.to, false, why_words(before, after)};
  }
  out.push_back(current);
}

// The first busy piece after idleness or attach, if the server still gets faster after it.
bool is_warm_up(const Bins& b, const std::vector<Piece>& pieces, std::size_t i) {
  if (pieces[i].idle || i + 1 >= pieces.size() || pieces[i + 1].idle) return false;
  if (i > 0 && !pieces[i - 1].idle) return false;
  if (b.width * static_cast<std::int64_t>(pieces[i].to - pieces[i].from) > kWarmUpMost) {
    return false;
  }
  const Level first = level_of(b, pieces[i].from, pieces[i].to);
  const Level next = level_of(b, pieces[i + 1].from, pieces[i + 1].to);
  return first.p50_ns > kWarmUpFall * next.p50_ns;
}

std::string unique_name(const std::vector<LoadPhase>& phases, const std::string& name) {
  std::string candidate = name;
  for (int k = 2;; ++k) {
    const bool taken = std::any_of(phases.begin(), phases.end(),
                                   [&](const LoadPhase& p) { return p.name == candidate; });
    if (!taken) return candidate;
    candidate = fmt::format("{}-{}", name, k);
  }
}

std::vector<LoadPhase> by_change_points(const Trace& trace) {
  const Bins b = bins_of(trace);
  std::vector<Piece> pieces;
  for (const Piece& piece : idle_and_busy(b)) {
    if (piece.idle) {
      pieces.push_back(piece);
    } else {
      cut_busy(b, piece, pieces);
    }
  }
  std::vector<LoadPhase> phases;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    LoadPhase phase;
    const char* name = piece.idle ? "idle" : is_warm_up(b, pieces, i) ? "warm-up" : "steady";
    phase.name = unique_name(phases, name);
    phase.begin = b.at(piece.from);
    phase.end = i + 1 < pieces.size() ? b.at(piece.to) : trace.t_end;
    phase.why = piece.why;
    if (phase.why.empty() && i > 0) {
      phase.why = fmt::format("throughput {} -> {}",
                              rate_words(level_of(b, pieces[i - 1].from, pieces[i - 1].to).rate),
                              rate_words(level_of(b, piece.from, piece.to).rate));
    }
    if (phase.why.empty()) phase.why = "attach";
    phases.push_back(std::move(phase));
  }
  return phases;
}

std::vector<LoadPhase> by_marks(const Trace& trace, const std::vector<rows::PhaseMark>& marks) {
  std::vector<LoadPhase> phases;
  if (marks.front().t > trace.t_begin) {
    phases.push_back({"unmarked", trace.t_begin, marks.front().t, "before the first mark", 0});
  }
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const Time begin = std::max(marks[i].t, trace.t_begin);
    const Time end = i + 1 < marks.size() ? marks[i + 1].t : trace.t_end;
    if (end <= begin) continue;
    phases.push_back({unique_name(phases, marks[i].name.empty() ? "marked" : marks[i].name), begin,
                      end, "marked by the user", 0});
  }
  return phases;
}

}  // namespace

std::vector<LoadPhase> load_phases(const Trace& trace) {
  std::vector<rows::PhaseMark> marks;
  for (const rows::PhaseMark& mark : trace.phase_marks) {
    // The start and end of a load command are no phases: change points find them.
    if (mark.source != "load-start" && mark.source != "load-end" && mark.t < trace.t_end) {
      marks.push_back(mark);
    }
  }
  std::vector<LoadPhase> phases = marks.empty() ? by_change_points(trace) : by_marks(trace, marks);
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
