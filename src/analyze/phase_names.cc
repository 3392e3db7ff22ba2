// What a stretch of the load is called.
#include <algorithm>

#include "analyze/phase_pieces.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWarmUpMost = 15s;
constexpr double kWarmUpFall = 1.2;  // p50 of a warm-up over that of what follows
constexpr Duration kSpikeMost = 4s;
constexpr double kSpike = 2;     // times the rate of both neighbours
constexpr double kBacklog = 20;  // requests more open at the end than at the begin
constexpr double kBacklogFactor = 3;

bool busy(const std::vector<LoadPiece>& pieces, std::size_t i) {
  return i < pieces.size() && !pieces[i].idle;
}

// The first busy piece after idleness or attach, if the server still gets faster after it.
bool is_warm_up(const LoadBins& b, const std::vector<LoadPiece>& pieces, std::size_t i) {
  if (!busy(pieces, i) || !busy(pieces, i + 1)) return false;
  if (i > 0 && !pieces[i - 1].idle) return false;
  if (b.length(pieces[i].from, pieces[i].to) > kWarmUpMost) return false;
  const LoadLevel first = piece_level(b, pieces[i]);
  const LoadLevel next = piece_level(b, pieces[i + 1]);
  // With more connections it is another load, not a warmer server.
  return first.p50_ns > kWarmUpFall * next.p50_ns && !moved(first.connections, next.connections);
}

bool is_spike(const LoadBins& b, const std::vector<LoadPiece>& pieces, std::size_t i) {
  if (i == 0 || !busy(pieces, i - 1) || !busy(pieces, i + 1)) return false;
  if (b.length(pieces[i].from, pieces[i].to) > kSpikeMost) return false;
  const double rate = piece_level(b, pieces[i]).rate;
  return rate >= kSpike * piece_level(b, pieces[i - 1]).rate &&
         rate >= kSpike * piece_level(b, pieces[i + 1]).rate;
}

// Arrivals outrun departures: more and more requests are open.
bool is_overload(const LoadBins& b, const LoadPiece& p) {
  const std::size_t third = (p.to - p.from) / 3;
  if (third < 2) return false;
  const double first = load_level(b, p.from, p.from + third).open;
  const double middle = load_level(b, p.from + third, p.to - third).open;
  const double last = load_level(b, p.to - third, p.to).open;
  return last >= first + kBacklog && last >= kBacklogFactor * first && middle > first &&
         last > middle;
}

// The load goes down, and nothing follows.
bool is_drain(const LoadBins& b, const std::vector<LoadPiece>& pieces, std::size_t i) {
  if (i == 0 || !busy(pieces, i - 1) || busy(pieces, i + 1)) return false;
  const LoadLevel before = piece_level(b, pieces[i - 1]);
  const LoadLevel here = piece_level(b, pieces[i]);
  double arrived = 0, done = 0;
  for (std::size_t k = pieces[i].from; k < pieces[i].to; ++k) {
    arrived += static_cast<double>(b.bins[k].requests);
    done += static_cast<double>(b.bins[k].done);
  }
  const bool sinking = pieces[i].ramp && here.rate < before.rate;
  return sinking || (here.rate < before.rate / 2 && done > 1.5 * arrived);
}

}  // namespace

std::string piece_name(const LoadBins& b, const std::vector<LoadPiece>& pieces, std::size_t i) {
  const LoadPiece& p = pieces[i];
  if (p.idle) return "idle";
  if (is_drain(b, pieces, i)) return "drain";
  if (p.ramp) return "ramp";
  if (is_overload(b, p)) return "overload";
  if (is_spike(b, pieces, i)) return "spike";
  return is_warm_up(b, pieces, i) ? "warm-up" : "steady";
}

}  // namespace srvprof
