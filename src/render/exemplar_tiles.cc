#include "render/exemplar_tiles.h"

#include <algorithm>

namespace srvprof {

ShownTiles longest_tiles(const Exemplar& exemplar, std::size_t most) {
  ShownTiles out;
  for (const ExemplarTile& tile : exemplar.tiles) out.tiles.push_back(&tile);
  if (out.tiles.size() <= most) return out;
  const auto end = out.tiles.begin() + static_cast<std::ptrdiff_t>(most);
  // Of equally long ones the earlier, so that the choice does not depend on the library.
  std::partial_sort(out.tiles.begin(), end, out.tiles.end(),
                    [](const ExemplarTile* a, const ExemplarTile* b) {
                      return a->length != b->length ? a->length > b->length : a->offset < b->offset;
                    });
  for (auto at = end; at != out.tiles.end(); ++at) out.left_out_time += (*at)->length;
  out.left_out = out.tiles.size() - most;
  out.tiles.resize(most);
  std::sort(out.tiles.begin(), out.tiles.end(),
            [](const ExemplarTile* a, const ExemplarTile* b) { return a->offset < b->offset; });
  return out;
}

}  // namespace srvprof
