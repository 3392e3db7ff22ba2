#include "analyze/samples.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "analyze/causes/evidence.h"
#include "analyze/frames.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostTiles = 20'000;  // a stride through more of them says the same

// Each sample counts once, however many requests waited through it.
std::string top_functions(const Trace& trace, std::span<const ClaimedTile> tiles,
                          std::uint32_t (*task)(const Trace&, const Tile&)) {
  std::set<const rows::Sample*> seen;
  const std::size_t stride = tiles.size() / kMostTiles + 1;
  for (std::size_t i = 0; i < tiles.size(); i += stride) {
    const Tile& t = tiles[i].tile;
    const std::uint32_t tid = task(trace, t);
    if (tid == 0) continue;
    for_samples(trace, tid, t.begin, t.begin + t.length,
                [&](const rows::Sample& s) { seen.insert(&s); });
  }
  std::map<std::string, std::uint64_t> names;
  for (const rows::Sample* s : seen) ++names[innermost_name(trace, s->kstack, s->ustack)];
  names.erase("");
  if (names.empty()) return {};
  std::vector<std::pair<std::string, std::uint64_t>> order(names.begin(), names.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string out = fmt::format("{} show ", plural_words(seen.size(), "sample"));
  for (std::size_t i = 0; i < order.size() && i < 3; ++i) {
    if (i) out += ", ";
    out += fmt::format(
        "{} {}", order[i].first,
        percent_words(static_cast<double>(order[i].second) / static_cast<double>(seen.size())));
  }
  return out;
}

}  // namespace

std::string sample_words(const Trace& trace, std::span<const ClaimedTile> tiles) {
  return top_functions(trace, tiles, [](const Trace& tr, const Tile& t) {
    return t.thread ? tr.thread(t.thread).tid : 0u;
  });
}

std::string worker_sample_words(const Trace& trace, std::span<const ClaimedTile> tiles) {
  return top_functions(trace, tiles, [](const Trace&, const Tile& t) {
    return t.who.kind == Who::Kind::kTask ? t.who.id : 0u;
  });
}

}  // namespace srvprof
