// Which pieces of a long request are shown.
#pragma once

#include <cstddef>
#include <vector>

#include "analyze/report.h"

namespace srvprof {

struct ShownTiles {
  std::vector<const ExemplarTile*> tiles;  // the longest, by time
  std::size_t left_out = 0;
  Duration left_out_time{};
};

ShownTiles longest_tiles(const Exemplar& exemplar, std::size_t most);

}  // namespace srvprof
