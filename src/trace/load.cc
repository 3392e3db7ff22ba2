#include "trace/load.h"

#include <fmt/format.h>

#include "recording/reader.h"
#include "trace/builder.h"

namespace srvprof {

Result<Trace> load_trace(const std::string& path) {
  RecordingReader reader = TRY(RecordingReader::open(path));
  TraceBuilder builder;
  const ReadReport report = TRY(reader.read_all(builder));
  if (builder.rows() == 0) {
    return Error{.what = fmt::format("reading '{}': the recording holds no data", path),
                 .hint = report.first_damage};
  }
  if (report.bad_chunks != 0) {
    builder.note_damage(fmt::format("{} damaged places, {} bytes were skipped ({})",
                                    report.bad_chunks, report.skipped_bytes, report.first_damage));
  }
  if (report.truncated_bytes != 0) {
    builder.note_damage(fmt::format("the last {} bytes are no whole chunk: the recording was cut",
                                    report.truncated_bytes));
  }
  if (report.unknown_chunks != 0) {
    builder.note_damage(
        fmt::format("{} chunks of a newer version were left out", report.unknown_chunks));
  }
  return builder.build();
}

}  // namespace srvprof
