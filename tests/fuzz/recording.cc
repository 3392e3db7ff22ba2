// A recording from a stranger. Checksums are made right where a chunk's place is, or nothing behind
// them would ever be reached.
#include "recording/reader.h"

#include <zlib.h>

#include "fuzz.h"
#include "recording/format.h"
#include "recording/text.h"

using namespace srvprof;

namespace {

void repair_checksums(Bytes& file) {
  for (std::size_t at = kFileHeaderBytes; at + kChunkHeaderBytes <= file.size();) {
    std::uint32_t stored = 0;
    std::memcpy(&stored, file.data() + at + 16, sizeof stored);
    if (stored > file.size() - at - kChunkHeaderBytes) return;
    std::memcpy(file.data() + at, kChunkMagic, sizeof kChunkMagic);
    uLong crc = ::crc32(0, file.data() + at, 24);
    crc = ::crc32(crc, file.data() + at + kChunkHeaderBytes, stored);
    const auto sum = static_cast<std::uint32_t>(crc);
    std::memcpy(file.data() + at + 24, &sum, sizeof sum);
    at += kChunkHeaderBytes + stored;
  }
}

}  // namespace

SRVPROF_FUZZ(input) {
  Bytes file(input.begin(), input.end());
  if (!file.empty() && file.size() % 2 == 0) repair_checksums(file);
  auto reader = RecordingReader::adopt(fuzz::file_of(file), "fuzz");
  if (!reader.ok()) return;
  const auto report = dump_text(*reader, [](std::string_view) { return Status(); });
  if (report.ok()) fuzz::require(report->skipped_bytes + report->truncated_bytes <= file.size());
}
