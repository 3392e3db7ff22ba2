// Stretches of a load that are one phase each, and what to call them.
#pragma once

#include <string>
#include <vector>

#include "analyze/phase_bins.h"

namespace srvprof {

// Bins [from, to).
struct LoadPiece {
  std::size_t from = 0, to = 0;
  bool idle = false;
  bool ramp = false;
  std::string why;  // of its begin
  // Bins at its begin and at its end that tell no level: the load began or ended in them.
  std::size_t before = 0, behind = 0;
};

LoadLevel piece_level(const LoadBins& bins, const LoadPiece& piece);

// Idle stretches, and between them the levels of the load: where at least two of throughput,
// connections and p50 begin a new level within half a second, or throughput alone begins one that
// is 1.5 times or more another. Levels of which each is a step of one slope are one ramp.
std::vector<LoadPiece> load_pieces(const LoadBins& bins);

// "idle", "warm-up", "ramp", "steady", "overload", "spike", "drain".
std::string piece_name(const LoadBins& bins, const std::vector<LoadPiece>& pieces, std::size_t i);

}  // namespace srvprof
