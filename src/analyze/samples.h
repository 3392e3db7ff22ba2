// On-CPU samples that lie inside tiles.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyze/causes/cause.h"

namespace srvprof {

// Calls `use(sample)` for each sample of the task `tid` in [from, to).
template <class Use>
void for_samples(const Trace& trace, std::uint32_t tid, Time from, Time to, Use use);

// What the threads of the tiles ran: "samples: pbkdf2 34 of 60, gc 12, ..."; empty if there are
// none.
std::string sample_words(const Trace& trace, std::span<const ClaimedTile> tiles);
// The same for the workers that pool tiles waited for.
std::string worker_sample_words(const Trace& trace, std::span<const ClaimedTile> tiles);

template <class Use>
void for_samples(const Trace& trace, std::uint32_t tid, Time from, Time to, Use use) {
  auto at = std::lower_bound(trace.samples.begin(), trace.samples.end(), from,
                             [](const rows::Sample& s, Time t) { return s.t < t; });
  for (; at != trace.samples.end() && at->t < to; ++at) {
    if (at->tid == tid) use(*at);
  }
}

}  // namespace srvprof
