#include "render/states.h"

#include <algorithm>

namespace srvprof {

std::vector<std::pair<State, Duration>> largest_states(const Ledger& ledger, Duration least) {
  std::vector<std::pair<State, Duration>> out;
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    const Duration time = ledger.of(state);
    if (time > Duration{} && time >= least) out.emplace_back(state, time);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return out;
}

}  // namespace srvprof
