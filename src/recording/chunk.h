// The rows inside a chunk: columns that each stand on their own (FORMAT.md, "Payload").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/bytes.h"
#include "recording/rows.h"
#include "recording/tables.h"

namespace srvprof {

// How the values of a column are written; numbers of the file, append-only.
enum class Encoding : std::uint8_t {
  kBool = 1,    // one byte, 0 or 1
  kUint = 2,    // varint
  kSint = 3,    // zigzag varint
  kDelta = 4,   // zigzag varint of the difference (mod 2^64) to the value of the row before
  kString = 5,  // varint: number in the chunk's string table, 0 = empty
  kList = 6,    // varint length, then as kDelta from element to element
  kDict = 7,    // varint: k = the k-th distinct value of the column; 0 = a new one, written as
                // kDelta against the last new one
};

// A whole chunk, its checksum verified.
struct Chunk {
  Table table{};
  std::uint32_t rows = 0;
  std::uint64_t offset = 0;           // in the file
  std::uint64_t stored_bytes = 0;     // in the file, header included
  std::span<const std::uint8_t> raw;  // the payload, decompressed
};

// The encoding that the writer uses for a member of type T.
template <class T>
constexpr Encoding encoding_of() {
  if constexpr (std::is_same_v<T, bool>) return Encoding::kBool;
  if constexpr (std::is_same_v<T, std::uint32_t>) return Encoding::kUint;
  if constexpr (std::is_same_v<T, std::int32_t>) return Encoding::kSint;
  if constexpr (std::is_same_v<T, Time>) return Encoding::kDelta;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Encoding::kDict;
  if constexpr (std::is_same_v<T, std::string>) return Encoding::kString;
  if constexpr (std::is_same_v<T, std::vector<std::uint64_t>>) return Encoding::kList;
}

// One column of a chunk while it is read.
struct ColumnCursor {
  Encoding encoding{};
  ByteReader bytes;
  std::uint64_t previous = 0;         // kDelta, kDict: the last (new) value
  std::vector<std::uint64_t> values;  // kDict: the distinct values so far
};

// Parts of a payload. Views into Chunk::raw.
struct ChunkColumns {
  std::vector<std::string_view> strings;
  std::vector<ColumnCursor> columns;  // as many as the writer knew
  std::string error;                  // why the payload is ill-formed, or empty
};
ChunkColumns split_columns(const Chunk& chunk);

// Decodes the rows of one chunk, one at a time. Columns that the writer did not know keep the
// default of Row; columns that this reader does not know are skipped.
template <class Row>
class ChunkRows {
 public:
  explicit ChunkRows(const Chunk& chunk);  // `chunk` must outlive this

  // False at the end, and at the first ill-formed value: then error() says what.
  bool next(Row& row);
  const std::string& error() const { return columns_.error; }

 private:
  ChunkColumns columns_;
  std::uint32_t left_ = 0;
  std::size_t string_bytes_ = 0;  // handed out; bounded, or one long string in each row explodes
};

#define SRVPROF_EXTERN(Row) extern template class ChunkRows<rows::Row>;
SRVPROF_EACH_ROW(SRVPROF_EXTERN)
#undef SRVPROF_EXTERN

}  // namespace srvprof
