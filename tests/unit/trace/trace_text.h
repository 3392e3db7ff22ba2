// Traces from text recordings, and tiles as text.
#pragma once

#include <string>
#include <string_view>

#include "trace/ledger.h"
#include "trace/model.h"

namespace srvprof {

// Fails the test if the text is ill-formed.
Trace trace_of(std::string_view text);

// One line a tile: "ready behind 1.5ms request 3~", see tests/fixtures/ledger/README.md.
std::string tile_text(const Trace& trace, const Tile& tile);
std::string tiles_text(const Trace& trace, RequestId id);

std::string duration_text(Duration d);

}  // namespace srvprof
