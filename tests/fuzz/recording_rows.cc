// The columns of a chunk, without compression and checksum before them.
#include "fuzz.h"
#include "recording/chunk.h"
#include "recording/format.h"
#include "recording/text.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  fuzz::Cutter cutter(input);
  const std::uint8_t number = cutter.take<std::uint8_t>();
  if (!is_known_table(number)) return;
  Chunk chunk;
  chunk.table = static_cast<Table>(number);
  chunk.rows = cutter.take<std::uint16_t>();
  chunk.raw = cutter.rest();
  if (chunk.rows > chunk.raw.size()) return;  // the reader refuses it before
  with_row_type(chunk.table, [&]<class Row>(std::type_identity<Row>) {
    ChunkRows<Row> rows(chunk);
    Row row;
    std::uint32_t n = 0;
    std::string text;
    while (rows.next(row)) {
      if (++n <= 64) text = to_text(row);
    }
    fuzz::require(n <= chunk.rows && (n == chunk.rows || !rows.error().empty()));
  });
}
