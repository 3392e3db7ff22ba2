// Writes a recording: rows are encoded as they come, one buffer a table, and leave as compressed
// chunks (FORMAT.md). Not thread-safe. Memory: at most ~1 MiB a table plus one chunk, whatever the
// rows hold (a row larger than kMaxRowBytes is refused).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/fd.h"
#include "base/result.h"
#include "recording/rows.h"

namespace srvprof {

// Who shall own a recording that root writes: the user behind sudo.
struct FileOwner {
  uid_t uid = 0;
  gid_t gid = 0;
};

class RecordingWriter {
 public:
  // Creates `path` (mode 0600) and writes the file header. A file that exists is an error, never
  // overwritten, and a symbolic link is not followed.
  static Result<RecordingWriter> create(const std::string& path,
                                        std::optional<FileOwner> owner = std::nullopt);
  // Takes an open descriptor at its start; `name` is for messages.
  static Result<RecordingWriter> adopt(Fd fd, std::string name);

  RecordingWriter(RecordingWriter&&) noexcept;
  RecordingWriter& operator=(RecordingWriter&&) noexcept;
  ~RecordingWriter();  // close(), its result unseen

  // Buffers a row; writes a chunk when the table's buffer is full. Row is one of rows::All. After
  // an error rows are dropped: see status().
  template <class Row>
  void add(const Row& row);

  // Writes what is buffered, in the order of the table numbers. After it the file is readable up to
  // and with the last row.
  Status flush();
  // flush(), then closes the file. Later calls of add, flush and close do nothing.
  Status close();

  // The first error (ENOSPC, EIO, a row too large ...), for ever; ok before. What was written
  // before it stays readable: a chunk that was cut short is taken back where the file allows it.
  const Status& status() const;
  // Bytes of the file so far (without what is buffered).
  std::uint64_t bytes_written() const;
  // Rows given to add() and not dropped.
  std::uint64_t rows_added() const;
  // Upper bound of the memory of the buffers at this moment, in bytes.
  std::size_t buffered_bytes() const;

 private:
  struct Impl;
  explicit RecordingWriter(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace srvprof
