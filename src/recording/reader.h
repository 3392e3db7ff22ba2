// Reads a recording. A file is hostile input: whatever its bytes are, the reader neither crashes
// nor allocates more than kMaxRawBytes a chunk (format.h), and it says what it could not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "recording/chunk.h"
#include "recording/rows.h"
#include "recording/tables.h"

namespace srvprof {

// What one pass over the file found. A recording cut by kill -9 has clean_end false and
// possibly truncated_bytes, and nothing else wrong.
struct ReadReport {
  std::uint64_t chunks = 0;  // read whole (those of unknown tables included)
  std::uint64_t rows = 0;    // of known tables
  std::uint64_t unknown_chunks =
      0;                            // whole, but of a table or codec that is newer than this reader
  std::uint64_t bad_chunks = 0;     // damaged places that were skipped; one may be several chunks
  std::uint64_t skipped_bytes = 0;  // bytes lost at those places
  std::uint64_t truncated_bytes = 0;  // at the end of the file, after the last whole chunk
  bool clean_end = false;             // an End row was read: the recording was closed in order
  std::string first_damage;           // where and what, for a message; empty if nothing was lost

  bool damaged() const { return bad_chunks != 0 || truncated_bytes != 0; }
};

// Makes a visitor of lambdas: read_all(Overloaded{[&](const rows::Request& r) {...}, ...}).
template <class... F>
struct Overloaded : F... {
  using F::operator()...;
};
template <class... F>
Overloaded(F...) -> Overloaded<F...>;

class RecordingReader {
 public:
  // Fails on what is no recording, and on a recording of a newer major version. A damaged or cut
  // recording opens as long as its file header is whole.
  static Result<RecordingReader> open(const std::string& path);
  // Takes a seekable descriptor; `name` is for messages.
  static Result<RecordingReader> adopt(Fd fd, std::string name);

  RecordingReader(RecordingReader&&) noexcept;
  RecordingReader& operator=(RecordingReader&&) noexcept;
  ~RecordingReader();

  // One pass over the file: calls v(const Row&) for each row of every table that `v` takes, in file
  // order: rows of one table are in the order in which they were added, rows of two tables are only
  // ordered to about a second. Rows of other tables are not even decoded. May be called again.
  // The reference is valid during the call. A visitor that returns bool ends the pass with false.
  // Errors: only those of reading the file.
  template <class Visitor>
  Result<ReadReport> read_all(Visitor&& v);

  // All rows of one table.
  template <class Row>
  Result<std::vector<Row>> read_table();

  // One pass over the whole chunks without decoding: f(const Chunk&), see chunk.h; an `f` that
  // returns bool ends the pass with false.
  template <class F>
  Result<ReadReport> for_each_chunk(F&& f);

  std::uint64_t file_bytes() const;
  const std::string& name() const;

 private:
  struct Impl;
  explicit RecordingReader(std::unique_ptr<Impl> impl);
  void rewind();
  // The next whole chunk, decompressed, or nullptr at the end. Valid until the next call.
  Result<const Chunk*> next_chunk();
  // Counts a chunk whose bytes are sound but whose rows are not.
  void note_bad_rows(const Chunk& chunk, const std::string& why);
  ReadReport& report();

  std::unique_ptr<Impl> impl_;
};

namespace detail {
// Calls f(x); false only if it returned false.
template <class F, class X>
bool keep_going(F& f, const X& x) {
  if constexpr (std::is_same_v<std::invoke_result_t<F&, const X&>, bool>) {
    return f(x);
  } else {
    f(x);
    return true;
  }
}
}  // namespace detail

template <class F>
Result<ReadReport> RecordingReader::for_each_chunk(F&& f) {
  rewind();
  while (const Chunk* chunk = TRY(next_chunk())) {
    if (!detail::keep_going(f, *chunk)) break;
  }
  return report();
}

template <class Visitor>
Result<ReadReport> RecordingReader::read_all(Visitor&& v) {
  return for_each_chunk([&](const Chunk& chunk) -> bool {
    bool go_on = true;
    with_row_type(chunk.table, [&]<class Row>(std::type_identity<Row>) {
      if constexpr (std::is_invocable_v<Visitor&, const Row&>) {
        ChunkRows<Row> rows(chunk);
        Row row;
        while (go_on && rows.next(row)) go_on = detail::keep_going(v, row);
        if (!rows.error().empty()) note_bad_rows(chunk, rows.error());
      }
    });
    return go_on;
  });
}

template <class Row>
Result<std::vector<Row>> RecordingReader::read_table() {
  std::vector<Row> out;
  TRY(read_all([&](const Row& row) { out.push_back(row); }));
  return out;
}

}  // namespace srvprof
