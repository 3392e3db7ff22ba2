// What the tests of recordings share: recordings in memory, chunks made by hand, random rows.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "recording/format.h"
#include "recording/reader.h"
#include "recording/text.h"
#include "recording/writer.h"

namespace srvprof::test {

// A file without a name that holds `bytes`.
Fd memory_file(std::string_view bytes = {});
std::string content(int fd);

// The bytes of a recording into which `fill(writer)` has put rows.
template <class Fill>
std::string recording_of(Fill&& fill) {
  Fd fd = memory_file();
  Fd copy(::dup(fd.get()));
  auto writer = RecordingWriter::adopt(std::move(fd), "test");
  EXPECT_TRUE(writer.ok());
  fill(*writer);
  EXPECT_TRUE(writer->close().ok());
  return content(copy.get());
}

Result<RecordingReader> reader_of(std::string_view bytes);

// The text form of all rows that can be read, and what the reader says of the rest.
struct Dump {
  std::string text;
  ReadReport report;
};
Dump dump_of(std::string_view bytes);

// What a hostile or a newer writer would write.
struct HandMade {
  std::uint16_t table = 0;
  std::uint16_t codec = kCodecVersion;
  std::uint32_t rows = 0;
  Bytes payload;
  std::uint32_t raw_bytes = 0;  // 0: the true one
};
std::string chunk_bytes(const HandMade& c);

// A column as it stands in a payload.
struct HandColumn {
  int encoding = 0;
  Bytes data;
};
Bytes payload_of(const std::vector<std::string>& strings, const std::vector<HandColumn>& columns);

// The header alone: a recording without chunks.
std::string file_header();

using Random = std::mt19937_64;
inline std::uint64_t below(Random& r, std::uint64_t n) { return r() % n; }

// A row of `table` whose values are mostly those where codecs break.
AnyRow random_row(Random& r, Table table);
inline Table nth_table(std::size_t index) { return static_cast<Table>(index + 1); }
void add(RecordingWriter& writer, const AnyRow& row);
bool same(const AnyRow& a, const AnyRow& b);
std::string text_of(const AnyRow& row);
// All rows, in the order of the file.
std::vector<AnyRow> rows_of(std::string_view bytes);

}  // namespace srvprof::test
