#include "recording/reader.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>

#include <fmt/format.h>

#include "base/bytes.h"
#include "recording/format.h"

namespace srvprof {
namespace {

constexpr std::size_t kWindowBytes = 1u << 20;

struct DctxFree {
  void operator()(ZSTD_DCtx* c) const { ZSTD_freeDCtx(c); }
};

struct ChunkHeader {
  std::uint16_t table = 0, codec = 0;
  std::uint32_t rows = 0, raw_bytes = 0, stored_bytes = 0, crc = 0;
};

Error not_a_recording(const std::string& name, const char* why) {
  return Error{fmt::format("reading recording {}: {}", name, why),
               "give a file that srvprof record or srvprof attach has written"};
}

Status check_file_header(std::span<const std::uint8_t> bytes, const std::string& name) {
  if (bytes.size() < sizeof kFileMagic ||
      std::memcmp(bytes.data(), kFileMagic, sizeof kFileMagic) != 0) {
    return not_a_recording(name, bytes.empty() ? "the file is empty" : "not a srvprof recording");
  }
  ByteReader in(bytes.subspan(sizeof kFileMagic));
  const auto major = in.le<std::uint16_t>();
  const auto minor = in.le<std::uint16_t>();
  const auto flags = in.le<std::uint32_t>();
  if (!in.ok()) return not_a_recording(name, "the file ends inside its header");
  if (major > kFormatMajor || flags != 0) {
    return Error{
        fmt::format("reading recording {}: its format {}.{} (flags {:#x}) is newer than {}.{}, "
                    "the newest that this srvprof reads",
                    name, major, minor, flags, kFormatMajor, kFormatMinor),
        "use the srvprof that wrote it, or a newer one"};
  }
  if (major == 0) return not_a_recording(name, "format version 0 does not exist");
  return {};
}

}  // namespace

struct RecordingReader::Impl {
  Fd fd;
  std::string name;
  std::uint64_t size = 0;
  std::uint64_t at = kFileHeaderBytes;  // of the next chunk
  ReadReport report;
  Bytes window;  // file bytes from window_start on
  std::uint64_t window_start = 0;
  std::uint64_t search_budget =
      0;  // bytes that may still be summed while looking for a sound chunk
  Bytes raw;
  Chunk chunk;
  std::unique_ptr<ZSTD_DCtx, DctxFree> zstd{ZSTD_createDCtx()};

  // Up to `n` bytes of the file from `offset` on; fewer at its end. Valid until the next call.
  Result<std::span<const std::uint8_t>> view(std::uint64_t offset, std::size_t n);
  // Why there is no sound chunk at `offset`, or "".
  Result<const char*> check(std::uint64_t offset, ChunkHeader& header);
  // Offset of the first sound chunk at or after `from`, or `size`.
  Result<std::uint64_t> find_chunk(std::uint64_t from);
  Status skip_damage(const char* why);
  // Fills `chunk` from the sound chunk at `at`; false: counted and to be skipped.
  Result<bool> load(const ChunkHeader& header);
  void note(std::uint64_t offset, const std::string& why);
};

Result<std::span<const std::uint8_t>> RecordingReader::Impl::view(std::uint64_t offset,
                                                                  std::size_t n) {
  n = static_cast<std::size_t>(std::min<std::uint64_t>(n, size - std::min(offset, size)));
  const bool inside = offset >= window_start && offset + n <= window_start + window.size();
  if (!inside) {
    window.resize(static_cast<std::size_t>(
        std::min<std::uint64_t>(std::max(n, kWindowBytes), size - offset)));
    window_start = offset;
    std::size_t have = 0;
    while (have < window.size()) {
      const ssize_t got = ::pread(fd.get(), window.data() + have, window.size() - have,
                                  static_cast<off_t>(offset + have));
      if (got < 0 && errno == EINTR) continue;
      const int why = errno;
      if (got < 0) return errno_error(fmt::format("reading recording {}", name), why);
      if (got == 0) break;
      have += static_cast<std::size_t>(got);
    }
    // Cut while we read it: what is gone counts as truncated.
    if (have < window.size()) size = offset + have;
    window.resize(have);
    n = std::min(n, have);
  }
  return std::span<const std::uint8_t>(window).subspan(
      static_cast<std::size_t>(offset - window_start), n);
}

Result<const char*> RecordingReader::Impl::check(std::uint64_t offset, ChunkHeader& header) {
  auto bytes = TRY(view(offset, kChunkHeaderBytes));
  if (bytes.size() < kChunkHeaderBytes) return "the file ends inside a chunk header";
  if (std::memcmp(bytes.data(), kChunkMagic, sizeof kChunkMagic) != 0)
    return "no chunk begins here";
  ByteReader in(bytes.subspan(sizeof kChunkMagic));
  header.table = in.le<std::uint16_t>();
  header.codec = in.le<std::uint16_t>();
  header.rows = in.le<std::uint32_t>();
  header.raw_bytes = in.le<std::uint32_t>();
  header.stored_bytes = in.le<std::uint32_t>();
  static_cast<void>(in.le<std::uint32_t>());  // reserved
  const std::size_t summed = in.position() + sizeof kChunkMagic;
  header.crc = in.le<std::uint32_t>();
  if (header.raw_bytes > kMaxRawBytes || header.stored_bytes > kMaxStoredBytes) {
    return "absurd chunk size";
  }
  const std::size_t total = kChunkHeaderBytes + header.stored_bytes;
  bytes = TRY(view(offset, total));
  if (bytes.size() < total) return "the file ends inside a chunk";
  uLong crc = ::crc32(0, bytes.data(), static_cast<uInt>(summed));
  crc = ::crc32(crc, bytes.data() + kChunkHeaderBytes, header.stored_bytes);
  return crc == header.crc ? "" : "checksum differs";
}

Result<std::uint64_t> RecordingReader::Impl::find_chunk(std::uint64_t from) {
  for (;;) {
    if (TRY(view(from, sizeof kChunkMagic)).size() < sizeof kChunkMagic) break;
    // What is in memory already, or a million magics would read a million windows.
    const auto bytes = std::span<const std::uint8_t>(window).subspan(
        static_cast<std::size_t>(from - window_start));
    const void* hit = ::memmem(bytes.data(), bytes.size(), kChunkMagic, sizeof kChunkMagic);
    if (hit == nullptr) {
      from += bytes.size() - (sizeof kChunkMagic - 1);  // the magic may lie across two windows
      continue;
    }
    from += static_cast<std::uint64_t>(static_cast<const std::uint8_t*>(hit) - bytes.data());
    ChunkHeader header;
    if (*TRY(check(from, header)) == '\0') return from;
    const std::uint64_t cost = kChunkHeaderBytes + header.stored_bytes;
    if (cost > search_budget) break;
    search_budget -= cost;
    ++from;
  }
  return size;
}

void RecordingReader::Impl::note(std::uint64_t offset, const std::string& why) {
  if (report.first_damage.empty()) report.first_damage = fmt::format("byte {}: {}", offset, why);
}

Status RecordingReader::Impl::skip_damage(const char* why) {
  note(at, why);
  const std::uint64_t next = TRY(find_chunk(at + 1));
  if (next < size) {
    ++report.bad_chunks;
    report.skipped_bytes += next - at;
  } else if (size > at) {
    report.truncated_bytes += size - at;
  }
  at = next;
  return {};
}

Result<bool> RecordingReader::Impl::load(const ChunkHeader& header) {
  const std::uint64_t offset = at;
  const auto bytes = TRY(view(offset, kChunkHeaderBytes + header.stored_bytes));
  at += bytes.size();
  const auto bad = [&](const std::string& why) {
    note(offset, why);
    ++report.bad_chunks;
    report.skipped_bytes += bytes.size();
    return false;
  };
  if (header.codec > kCodecVersion || !is_known_table(header.table)) {
    ++report.chunks;
    ++report.unknown_chunks;
    return false;
  }
  if (header.rows > kMaxChunkRows || header.rows > header.raw_bytes) {
    return bad("absurd number of rows");
  }
  raw.resize(header.raw_bytes);
  const std::size_t n = ZSTD_decompressDCtx(zstd.get(), raw.data(), raw.size(),
                                            bytes.data() + kChunkHeaderBytes, header.stored_bytes);
  if (ZSTD_isError(n) != 0) return bad(fmt::format("zstd: {}", ZSTD_getErrorName(n)));
  if (n != raw.size()) return bad("payload shorter than announced");
  chunk = {static_cast<Table>(header.table), header.rows, offset, bytes.size(), raw};
  ++report.chunks;
  report.rows += header.rows;
  report.clean_end = report.clean_end || (chunk.table == Table::kEnd && header.rows != 0);
  return true;
}

RecordingReader::RecordingReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordingReader::RecordingReader(RecordingReader&&) noexcept = default;
RecordingReader& RecordingReader::operator=(RecordingReader&&) noexcept = default;
RecordingReader::~RecordingReader() = default;

Result<RecordingReader> RecordingReader::open(const std::string& path) {
  // O_NONBLOCK: a fifo of that name does not hang us.
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!fd.valid()) {
    const int why = errno;
    return errno_error(fmt::format("opening recording {}", path), why);
  }
  return adopt(std::move(fd), path);
}

Result<RecordingReader> RecordingReader::adopt(Fd fd, std::string name) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) {
    const int why = errno;
    return errno_error(fmt::format("reading recording {}", name), why);
  }
  if (!S_ISREG(st.st_mode)) return not_a_recording(name, "not a regular file");
  auto impl = std::make_unique<Impl>();
  impl->fd = std::move(fd);
  impl->name = std::move(name);
  impl->size = static_cast<std::uint64_t>(st.st_size);
  const auto header = TRY(impl->view(0, kFileHeaderBytes));
  TRY(check_file_header(header, impl->name));
  return RecordingReader(std::move(impl));
}

void RecordingReader::rewind() {
  impl_->at = kFileHeaderBytes;
  impl_->report = {};
  // Each chunk magic in a damaged part may cost a sum over what its header claims: bounded, or a
  // file made of nothing but magics would take for ever.
  impl_->search_budget = impl_->size * 4 + kMaxStoredBytes;
}

Result<const Chunk*> RecordingReader::next_chunk() {
  Impl& r = *impl_;
  while (r.at < r.size) {
    ChunkHeader header;
    const char* why = TRY(r.check(r.at, header));
    if (*why != '\0') {
      TRY(r.skip_damage(why));
    } else if (TRY(r.load(header))) {
      return &r.chunk;
    }
  }
  return nullptr;
}

void RecordingReader::note_bad_rows(const Chunk& chunk, const std::string& why) {
  impl_->note(chunk.offset, why);
  --impl_->report.chunks;
  impl_->report.rows -= chunk.rows;
  ++impl_->report.bad_chunks;
  impl_->report.skipped_bytes += chunk.stored_bytes;
}

ReadReport& RecordingReader::report() { return impl_->report; }
std::uint64_t RecordingReader::file_bytes() const { return impl_->size; }
const std::string& RecordingReader::name() const { return impl_->name; }

}  // namespace srvprof
