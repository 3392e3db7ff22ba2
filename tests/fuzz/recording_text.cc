// The text form of recordings, which `dump` reads: what it accepts comes out of a recording as it went in.
#include "recording/text.h"

#include "fuzz.h"

using namespace srvprof;

namespace {

std::string dumped(const std::string& text) {
  Fd fd = fuzz::file_of({});
  Fd again(::dup(fd.get()));
  auto writer = RecordingWriter::adopt(std::move(fd), "fuzz");
  fuzz::require(writer.ok());
  fuzz::require(write_text(text, *writer).ok() && writer->close().ok());
  auto reader = RecordingReader::adopt(std::move(again), "fuzz");
  fuzz::require(reader.ok());
  std::string out;
  const auto report = dump_text(*reader, [&](std::string_view part) { return out += part, Status(); });
  fuzz::require(report.ok() && !report->damaged());
  return out;
}

}  // namespace

SRVPROF_FUZZ(input) {
  const std::string text(fuzz::text_of(input));
  if (!parse_text(text, [](const auto&) {}).ok()) return;
  const std::string once = dumped(text);
  fuzz::require(dumped(once) == once);
}
