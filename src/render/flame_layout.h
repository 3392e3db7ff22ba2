// Stacks merged into the boxes of a flame graph.
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/report.h"

namespace srvprof {

struct FlameBox {
  std::uint32_t label = 0;  // 1-based index into FlameData::labels, 0 = the box below all stacks
  std::uint32_t depth = 0;  // 0 = the box below all stacks
  double start = 0;         // in the unit of the weights, from the left edge
  double weight = 0;
  double baseline = 0;  // weight of the same stack in the body (differential graphs)
};

struct FlameLayout {
  std::vector<FlameBox> boxes;  // parents before children, siblings by label text
  std::uint32_t depth = 0;      // of the deepest box
  std::uint64_t left_out = 0;   // boxes narrower than the limit, and what is on top of them
  double total = 0, baseline_total = 0;
};

// Boxes below `least_share` (0..1) of the whole are left out.
FlameLayout lay_out(const FlameData& flame, double least_share);

}  // namespace srvprof
