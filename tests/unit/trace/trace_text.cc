#include "trace_text.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recording/text.h"
#include "trace/builder.h"

namespace srvprof {

Trace trace_of(std::string_view text) {
  TraceBuilder builder;
  const Status status = parse_text(text, builder);
  EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().what);
  return builder.build();
}

std::string duration_text(Duration d) {
  const std::int64_t ns = d.count();
  if (ns % 1000 != 0) return fmt::format("{}ns", ns);
  if (ns % 1000000 != 0) return fmt::format("{}us", ns / 1000);
  return fmt::format("{}ms", ns / 1000000);
}

std::string tile_text(const Trace& trace, const Tile& tile) {
  std::string s = fmt::format("{} {}", name_of(tile.phase), name_of(tile.state));
  const bool blocked_behind =
      tile.state == State::kBehind && tile.worker_state != State::kUnexplained;
  if (tile.state == State::kPool || blocked_behind)
    s += fmt::format("({})", name_of(tile.worker_state));
  s += " " + duration_text(tile.length);
  switch (tile.who.kind) {
    case Who::Kind::kNone: break;
    case Who::Kind::kIdle: s += " idle"; break;
    case Who::Kind::kTask: s += fmt::format(" task {}", tile.who.id); break;
    case Who::Kind::kRequest: s += fmt::format(" request {}", tile.who.id); break;
    case Who::Kind::kConn: s += fmt::format(" conn {}", trace.conn({tile.who.id}).id); break;
    case Who::Kind::kTimer: s += " timer"; break;
    case Who::Kind::kUnsampled: s += " unsampled"; break;
  }
  if (tile.who.estimated) s += "~";
  if (tile.split_unknown) s += " split";
  if (tile.gc == GcShare::kStop) s += fmt::format(" gc {}", tile.span);
  if (tile.gc == GcShare::kHelpers) s += fmt::format(" gc-helpers {}", tile.span);
  if (tile.gc == GcShare::kAssist) s += fmt::format(" assist {}", tile.span);
  if (tile.echo_of != 0) s += fmt::format(" echo {}", tile.echo_of);
  return s;
}

std::string tiles_text(const Trace& trace, RequestId id) {
  std::vector<Tile> tiles;
  tiles_of(trace, id, tiles);
  std::string s;
  for (const Tile& tile : tiles) s += tile_text(trace, tile) + "\n";
  return s;
}

}  // namespace srvprof
