#include "recording/writer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <array>
#include <cerrno>
#include <span>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "recording/format.h"
#include "recording/table_buffer.h"
#include "recording/tables.h"

namespace srvprof {
namespace {

constexpr int kZstdLevel = 1;  // the collector shares the machine with its target

struct CctxFree {
  void operator()(ZSTD_CCtx* c) const { ZSTD_freeCCtx(c); }
};

Bytes file_header() {
  Bytes out;
  put_bytes(out, std::string_view(kFileMagic, sizeof kFileMagic));
  put_le(out, kFormatMajor);
  put_le(out, kFormatMinor);
  put_le(out, std::uint32_t{0});  // flags
  return out;
}

// Bytes of strings and lists of a row, the only parts without a bound; nullptr, or why it is
// refused.
template <class Row>
const char* row_too_large(const Row& row) {
  std::size_t n = 0;
  bool long_list = false;
  for_each_field<Row>([&]<class T>(std::size_t, const rows::Field<Row, T>& f) {
    if constexpr (std::is_same_v<T, std::string>) n += (row.*f.member).size();
    if constexpr (std::is_same_v<T, std::vector<std::uint64_t>>) {
      long_list = long_list || (row.*f.member).size() > kMaxListLength;
    }
  });
  if (long_list) return "a list has more than 65536 elements";
  return n > kMaxRowBytes ? "its strings have more than 24 MiB" : nullptr;
}

// 0 or errno. Adds what was written to `written`, also in the case of an error.
int write_all(int fd, std::span<const std::uint8_t> bytes, std::uint64_t& written) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    written += static_cast<std::uint64_t>(n);
    bytes = bytes.subspan(static_cast<std::size_t>(n));
  }
  return 0;
}

}  // namespace

struct RecordingWriter::Impl {
  Fd fd;
  std::string name;
  Status status;
  std::array<TableBuffer, kTableCount> tables;
  std::unique_ptr<ZSTD_CCtx, CctxFree> zstd{ZSTD_createCCtx()};
  Bytes raw, stored;          // of the chunk being written
  std::uint64_t written = 0;  // whole chunks
  std::uint64_t rows_added = 0;

  bool usable() const { return fd.valid() && status.ok(); }
  void write(std::span<const std::uint8_t> bytes);
  void write_chunk(Table table, TableBuffer& buffer);
  bool compress(std::size_t header_bytes);
  void fail(std::string what, std::string hint = "") {
    status = Error{std::move(what), std::move(hint)};
  }
};

void RecordingWriter::Impl::write(std::span<const std::uint8_t> bytes) {
  std::uint64_t n = 0;
  const int error = write_all(fd.get(), bytes, n);
  if (error == 0) {
    written += n;
    return;
  }
  // Takes a half-written chunk back, so that the file ends in order. Pipes refuse; readers cope.
  if (n != 0 && ::ftruncate(fd.get(), static_cast<off_t>(written)) == 0) {
    ::lseek(fd.get(), static_cast<off_t>(written), SEEK_SET);
  }
  Error e = errno_error(fmt::format("writing recording {}", name), error);
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    e.hint = "free some space or choose another file with -o; what was written is readable";
  }
  status = std::move(e);
}

// Appends the compressed `raw` to `stored`, after the room for the header.
bool RecordingWriter::Impl::compress(std::size_t header_bytes) {
  stored.resize(header_bytes + ZSTD_compressBound(raw.size()));
  const std::size_t n =
      ZSTD_compressCCtx(zstd.get(), stored.data() + header_bytes, stored.size() - header_bytes,
                        raw.data(), raw.size(), kZstdLevel);
  if (ZSTD_isError(n) != 0) {
    fail(fmt::format("writing recording {}: zstd: {}", name, ZSTD_getErrorName(n)));
    return false;
  }
  stored.resize(header_bytes + n);
  return true;
}

void RecordingWriter::Impl::write_chunk(Table table, TableBuffer& buffer) {
  if (buffer.rows() == 0 || !usable()) return;
  raw.clear();
  buffer.payload(raw);
  if (compress(kChunkHeaderBytes)) {
    Bytes header;
    header.reserve(kChunkHeaderBytes);
    header.insert(header.end(), std::begin(kChunkMagic), std::end(kChunkMagic));
    put_le(header, static_cast<std::uint16_t>(table));
    put_le(header, kCodecVersion);
    put_le(header, buffer.rows());
    put_le(header, static_cast<std::uint32_t>(raw.size()));
    put_le(header, static_cast<std::uint32_t>(stored.size() - kChunkHeaderBytes));
    put_le(header, std::uint32_t{0});  // reserved
    const auto payload = std::span(stored).subspan(kChunkHeaderBytes);
    uLong crc = ::crc32(0, header.data(), static_cast<uInt>(header.size()));
    crc = ::crc32(crc, payload.data(), static_cast<uInt>(payload.size()));
    put_le(header, static_cast<std::uint32_t>(crc));
    std::copy(header.begin(), header.end(), stored.begin());
    write(stored);
  }
  buffer.clear();
  if (raw.capacity() > kTargetRawBytes * 4) raw = Bytes();
  if (stored.capacity() > kTargetRawBytes * 4) stored = Bytes();
}

RecordingWriter::RecordingWriter(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordingWriter::RecordingWriter(RecordingWriter&&) noexcept = default;

RecordingWriter& RecordingWriter::operator=(RecordingWriter&& other) noexcept {
  if (this != &other) {
    if (impl_) static_cast<void>(close());
    impl_ = std::move(other.impl_);
  }
  return *this;
}

RecordingWriter::~RecordingWriter() {
  if (impl_) static_cast<void>(close());
}

Result<RecordingWriter> RecordingWriter::create(const std::string& path,
                                                std::optional<FileOwner> owner) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    const int why = errno;
    Error error = errno_error(fmt::format("creating recording {}", path), why);
    if (why == EEXIST) error.hint = "choose another file with -o, or remove this one";
    return error;
  }
  const auto give_up = [&](Error error) {
    ::unlink(path.c_str());
    return error;
  };
  if (owner && ::fchown(fd.get(), owner->uid, owner->gid) != 0) {
    const int why = errno;
    return give_up(errno_error(
        fmt::format("creating recording {}: owner {}:{}", path, owner->uid, owner->gid), why));
  }
  auto writer = adopt(std::move(fd), path);
  if (!writer.ok()) return give_up(writer.take_error());
  return writer;
}

Result<RecordingWriter> RecordingWriter::adopt(Fd fd, std::string name) {
  auto impl = std::make_unique<Impl>();
  impl->fd = std::move(fd);
  impl->name = std::move(name);
  impl->write(file_header());
  if (!impl->status.ok()) return impl->status.take_error();
  return RecordingWriter(std::move(impl));
}

template <class Row>
void RecordingWriter::add(const Row& row) {
  if (!impl_->usable()) return;
  if (const char* why = row_too_large(row)) {
    impl_->fail(fmt::format("writing recording {}: a row of {} is too large: {}", impl_->name,
                            table_name(Row::kTable), why));
    return;
  }
  TableBuffer& buffer = impl_->tables[table_index(Row::kTable)];
  buffer.add(row);
  ++impl_->rows_added;
  if (buffer.full()) impl_->write_chunk(Row::kTable, buffer);
}

#define SRVPROF_INSTANTIATE(Row) template void RecordingWriter::add(const rows::Row&);
SRVPROF_EACH_ROW(SRVPROF_INSTANTIATE)
#undef SRVPROF_INSTANTIATE

Status RecordingWriter::flush() {
  for (std::size_t i = 0; i < kTableCount; ++i) {
    impl_->write_chunk(static_cast<Table>(i + 1), impl_->tables[i]);
  }
  return impl_->status;
}

Status RecordingWriter::close() {
  static_cast<void>(flush());
  if (impl_->fd.valid() && ::close(impl_->fd.release()) != 0 && impl_->status.ok()) {
    const int why = errno;
    impl_->status = errno_error(fmt::format("closing recording {}", impl_->name), why);
  }
  return impl_->status;
}

const Status& RecordingWriter::status() const { return impl_->status; }
std::uint64_t RecordingWriter::bytes_written() const { return impl_->written; }
std::uint64_t RecordingWriter::rows_added() const { return impl_->rows_added; }

std::size_t RecordingWriter::buffered_bytes() const {
  std::size_t n = impl_->raw.capacity() + impl_->stored.capacity();
  for (const TableBuffer& t : impl_->tables) n += t.memory_bytes();
  return n;
}

}  // namespace srvprof
