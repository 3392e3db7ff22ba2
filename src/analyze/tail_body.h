// Which requests are slow, which are ordinary, and whether their difference is worth a word.
#pragma once

#include <cstddef>
#include <string>

#include "analyze/percentiles.h"

namespace srvprof {

// Ranks (0-based, half-open) of a group sorted by latency. tail: from here to the end, all above
// the tail percentile, at least 5 requests if there are as many; body: p40..p60; fastest: p1..p10.
struct SplitRanks {
  std::size_t tail = 0;
  std::size_t body_from = 0, body_to = 0;
  std::size_t fast_from = 0, fast_to = 0;
};
SplitRanks split_ranks(std::size_t n, double tail_percentile);

struct GapFacts {
  std::size_t requests = 0, tail_requests = 0;
  std::size_t slower = 0;  // tail requests that take at least 1 ms longer than the mean of the body
  bool first_requests = false;
  Duration gap{}, body_mean{};
  Bootstrap bootstrap;
};

// Empty if the gap is to be explained; else why not, as a clause.
std::string nothing_to_explain(const GapFacts& facts);

// Fewer requests than this are not explained (connect bursts are small by nature).
std::size_t fewest_requests(bool first_requests);

}  // namespace srvprof
