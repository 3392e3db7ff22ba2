#include "analyze/phase_pieces.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "analyze/pelt.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMinSegment = 4;   // bins, 1 s
constexpr std::size_t kAgree = 2;        // bins between the change points of two signals
constexpr double kIdleShare = 0.01;      // of the peak throughput
constexpr double kEdgeShare = 0.1;       // of the peak: a bin at a load's end with less is nearly empty
constexpr std::size_t kMostEdge = 5;     // bins that may be left out at each end
constexpr double kFewest = 8;            // requests a second: fewer make no number of connections
constexpr double kStep = 1.5;            // of throughput, where no other signal agrees
constexpr double kWarmUpStep = 1.3;      // of throughput, from a load's begin on
constexpr std::size_t kStepSegment = 8;  // bins on both sides of such a step
constexpr Duration kShortRun = 4s;       // busy time below this is one phase
constexpr double kFaster = 1.2;
constexpr double kSure = 4;             // t statistic of a slope
constexpr double kLineShare = 0.5;      // of the variance, that the line must hold
constexpr double kLeastRise = 0.1;      // over a piece, of its level
constexpr Duration kRampStep = 2500ms;  // longer steps of a ramp must be sloped in themselves

double peak_of(const LoadBins& b) {
  std::vector<std::size_t> counts;
  for (const LoadBin& bin : b.bins) {
    if (bin.requests > 0) counts.push_back(bin.requests);
  }
  if (counts.empty()) return 0;
  // The 95th percentile of the busy bins: one burst is not the peak of the load.
  const auto at = counts.begin() + static_cast<std::ptrdiff_t>(counts.size() * 95 / 100);
  std::nth_element(counts.begin(), at, counts.end());
  return static_cast<double>(*at);
}

bool is_idle_bin(const LoadBin& bin, double threshold) {
  return !bin.covered && static_cast<double>(bin.requests) <= threshold;
}

// A load begins and ends somewhere in a bin, and idleness at its ends that is too short to be a piece of its
// own, with or without a straggler, is left to it: such bins hold fewer requests and fewer connections than the
// load has.
void trim_edges(const LoadBins& b, double peak, LoadPiece& p) {
  if (p.idle || p.to - p.from < 2 * kMinSegment + 2 * kMostEdge) return;
  const auto empty = [&](std::size_t i) { return is_idle_bin(b.bins[i], kEdgeShare * peak); };
  while (p.before + 1 < kMostEdge && empty(p.from + p.before)) ++p.before;
  while (p.behind + 1 < kMostEdge && empty(p.to - 1 - p.behind)) ++p.behind;
  ++p.before, ++p.behind;
}

// Idle runs shorter than a segment inside the load are left to the load; at the ends half a second
// is enough, since nobody waits there. A load of few requests has empty bins without being idle:
// the run must miss kMissed requests, or last 5 s.
std::vector<LoadPiece> idle_and_busy(const LoadBins& b) {
  constexpr double kMissed = 20;
  const double peak = peak_of(b);
  const double threshold = kIdleShare * peak;
  const std::size_t n = b.bins.size();
  double total = 0, used = 0;
  for (const LoadBin& bin : b.bins) {
    total += static_cast<double>(bin.requests);
    used += bin.requests > 0 ? 1 : 0;
  }
  // Of a thin load most bins are empty by chance: what an ordinary bin holds is the mean over all.
  const bool thin = total < 2 * used;
  const double ordinary = thin ? total / static_cast<double>(n) : peak;
  std::vector<LoadPiece> pieces;
  for (std::size_t i = 0; i < n;) {
    const auto idle = [&](std::size_t k) { return is_idle_bin(b.bins[k], threshold); };
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
      pieces.push_back({i, end, is_idle_run, false, {}});
    }
    i = end;
  }
  for (LoadPiece& p : pieces) trim_edges(b, peak, p);
  return pieces;
}

bool near_one(const std::vector<std::size_t>& cuts, std::size_t at) {
  return std::any_of(cuts.begin(), cuts.end(),
                     [at](std::size_t c) { return (c > at ? c - at : at - c) <= kAgree; });
}

// Bins at which a new level may begin: throughput's change points, and those that connections and
// p50 agree on.
std::vector<std::size_t> candidate_cuts(const LoadBins& b, std::size_t from, std::size_t to) {
  std::vector<double> rate, p50, connections;
  std::size_t last = from;  // a stalled bin repeats the level before it
  for (std::size_t k = from; k < to; ++k) {
    const std::size_t i = b.unsure(k) ? last : k;
    last = i;
    rate.push_back(std::log(1.0 + static_cast<double>(b.bins[i].requests)));
    p50.push_back(std::log(1.0 + b.bins[i].p50_ns));
    connections.push_back(std::log(1.0 + static_cast<double>(b.bins[i].connections)));
  }
  std::vector<std::size_t> all = change_points(rate, kMinSegment, 0.02);
  const auto by_connections = change_points(connections, kMinSegment, 0.02);
  const auto by_p50 = change_points(p50, kMinSegment, 0.02);
  for (const std::size_t c : by_connections) {
    if (!near_one(all, c) && near_one(by_p50, c)) all.push_back(c);
  }
  std::sort(all.begin(), all.end());
  std::vector<std::size_t> cuts;
  for (const std::size_t c : all) {
    if (cuts.empty() || from + c >= cuts.back() + kMinSegment) cuts.push_back(from + c);
  }
  return cuts;
}

// Two signals have another level behind the cut, or throughput a very different one. Where
// throughput and p50 go opposite ways over the same connections, a closed loop followed a server
// that changed its speed: the load itself did not change, so that only counts as the begin of a
// load (warm-up), or if it is large and lasts. Where throughput stays and nobody connected or left, the
// connections in use follow p50 (Little's law): an open loop's server got slower, which is no other load.
bool is_boundary(const LoadLevel& before, const LoadLevel& after, std::size_t shorter,
                 bool begins) {
  const double ratio =
      std::max(before.rate, after.rate) / std::max(std::min(before.rate, after.rate), 1e-9);
  const bool follow = !moved(before.rate, after.rate) && !moved(before.held, after.held) &&
                      (after.connections > before.connections) == (after.p50_ns > before.p50_ns);
  const bool connections = std::min(before.rate, after.rate) >= kFewest && !follow &&
                           moved(before.connections, after.connections);
  const bool opposite = (after.rate > before.rate) != (after.p50_ns > before.p50_ns);
  const bool lasting = ratio >= kStep && shorter >= kStepSegment;
  const bool warmer = begins && ratio >= kWarmUpStep && moved(before.p50_ns, after.p50_ns);
  if (!connections && opposite) return lasting || warmer;
  const int agreeing =
      moved(before.rate, after.rate) + moved(before.p50_ns, after.p50_ns) + connections;
  return agreeing >= 2 || lasting;
}

// The least significant cut goes first, so that what stays is a change between whole levels.
void cut_busy(const LoadBins& b, const LoadPiece& piece, std::vector<LoadPiece>& out) {
  std::vector<std::size_t> cuts;
  const std::size_t first = piece.from + piece.before, last = piece.to - piece.behind;
  if (b.length(piece.from, piece.to) >= kShortRun) cuts = candidate_cuts(b, first, last);
  const auto levels = [&](std::size_t k) {
    const std::size_t begin = k == 0 ? first : cuts[k - 1];
    const std::size_t end = k + 1 < cuts.size() ? cuts[k + 1] : last;
    return std::tuple(load_level(b, begin, cuts[k]), load_level(b, cuts[k], end),
                      std::min(cuts[k] - begin, end - cuts[k]));
  };
  while (!cuts.empty()) {
    std::size_t weakest = cuts.size();
    double least = 0;
    for (std::size_t k = 0; k < cuts.size(); ++k) {
      const auto [before, after, shorter] = levels(k);
      if (is_boundary(before, after, shorter, k == 0 && after.rate > before.rate)) continue;
      const double size = std::abs(std::log((before.rate + 1e-9) / (after.rate + 1e-9)));
      if (weakest == cuts.size() || size < least) weakest = k, least = size;
    }
    if (weakest == cuts.size()) break;
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(weakest));
  }
  LoadPiece current = piece;
  for (std::size_t k = 0; k < cuts.size(); ++k) {
    const auto [before, after, shorter] = levels(k);
    current.to = cuts[k];
    current.behind = 0;
    out.push_back(current);
    current = LoadPiece{cuts[k], piece.to, false, false, change_words(before, after), 0, piece.behind};
  }
  out.push_back(current);
}

// +1 rising, -1 falling, 0 level: by the slope of a line through its bins, where that is no chance.
int slope_of(const LoadBins& b, const LoadPiece& p) {
  const std::size_t from = p.from + p.before, to = p.to - p.behind;
  const auto n = static_cast<double>(to - from);
  double sx = 0, sy = 0, sxx = 0, sxy = 0, syy = 0;
  for (std::size_t i = from; i < to; ++i) {
    const double x = static_cast<double>(i - from), y = static_cast<double>(b.bins[i].requests);
    sx += x, sy += y, sxx += x * x, sxy += x * y, syy += y * y;
  }
  const double dx = sxx - sx * sx / n, dxy = sxy - sx * sy / n, dy = syy - sy * sy / n;
  if (n < 6 || dx <= 0 || sy <= 0) return 0;
  const double slope = dxy / dx;
  const double rest = std::max(dy - slope * dxy, 0.0);
  const double t = slope / std::sqrt(rest / (n - 2) / dx + 1e-12);
  const double rise = slope * n / (sy / n);  // over its length, of its mean
  if (std::abs(t) < kSure || std::abs(rise) < kLeastRise) return 0;
  if (slope * dxy < kLineShare * dy) return 0;  // a level with a step at its end is no slope
  return rise > 0 ? 1 : -1;
}

double rate_of(const LoadBins& b, const LoadPiece& p) { return piece_level(b, p).rate; }

// Which way the rate goes from one piece to the next; 0 where one of them is idle or not there.
int direction(const LoadBins& b, const std::vector<LoadPiece>& pieces, std::size_t from) {
  if (from + 1 >= pieces.size() || pieces[from].idle || pieces[from + 1].idle) return 0;
  return rate_of(b, pieces[from + 1]) > rate_of(b, pieces[from]) ? 1 : -1;
}

// A step of a ramp: short, or sloped in itself.
bool is_step(const LoadBins& b, const LoadPiece& p, int way) {
  return !p.idle && (b.length(p.from, p.to) <= kRampStep || slope_of(b, p) == way);
}

// The end of the run of steps that begins with piece `i`: `i` if there is none.
std::size_t ramp_end(const LoadBins& b, const std::vector<LoadPiece>& pieces, std::size_t i) {
  const bool after_busy = i > 0 && !pieces[i - 1].idle;
  const int way = after_busy ? direction(b, pieces, i - 1) : direction(b, pieces, i);
  if (way == 0) return i;
  std::size_t end = i;
  while (end < pieces.size() && is_step(b, pieces[end], way)) {
    if (end > i && direction(b, pieces, end - 1) != way) break;
    ++end;
  }
  // What follows must go on in the same direction: else the last one is no step, but its goal.
  while (end > i && end < pieces.size() && !pieces[end].idle &&
         direction(b, pieces, end - 1) != way) {
    --end;
  }
  const bool one = end == i + 1 && slope_of(b, pieces[i]) == way;
  return end >= i + 2 || one ? end : i;
}

// Levels that lead from one to another become one ramp. A server that gets faster raises a closed
// loop's throughput in the same way: that is a warm-up, in one piece if the load begins with it.
void join_ramps(const LoadBins& b, std::vector<LoadPiece>& pieces) {
  std::vector<LoadPiece> out;
  for (std::size_t i = 0; i < pieces.size();) {
    const std::size_t end = ramp_end(b, pieces, i);
    if (end == i) {
      out.push_back(pieces[i++]);
      continue;
    }
    const bool rising = direction(b, pieces, end < pieces.size() ? end - 1 : end - 2) > 0;
    const LoadPiece& last = pieces[std::min(end, pieces.size() - 1)];
    const double first_p50 = piece_level(b, pieces[i]).p50_ns;
    const bool faster = rising && !last.idle && first_p50 > kFaster * piece_level(b, last).p50_ns;
    const bool begins = i == 0 || pieces[i - 1].idle;
    if (faster && !begins) {
      out.push_back(pieces[i++]);
      continue;
    }
    LoadPiece joined = pieces[i];
    joined.to = pieces[end - 1].to;
    joined.behind = pieces[end - 1].behind;
    joined.ramp = !faster;
    out.push_back(joined);
    i = end;
  }
  pieces = std::move(out);
}

}  // namespace

LoadLevel piece_level(const LoadBins& b, const LoadPiece& p) {
  return load_level(b, p.from + p.before, p.to - p.behind);
}

std::vector<LoadPiece> load_pieces(const LoadBins& b) {
  std::vector<LoadPiece> pieces;
  for (const LoadPiece& piece : idle_and_busy(b)) {
    if (piece.idle) {
      pieces.push_back(piece);
    } else {
      cut_busy(b, piece, pieces);
    }
  }
  join_ramps(b, pieces);
  return pieces;
}

}  // namespace srvprof
