#include "support.h"

#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include <iterator>
#include <type_traits>
#include <variant>

namespace srvprof::test {
namespace {

// Mostly the extremes and small changes, where codecs break; never all values alike.
std::uint64_t random_bits(Random& r) {
  constexpr std::uint64_t kExtremes[] = {0,
                                         1,
                                         0x7f,
                                         0x80,
                                         0x7fffffff,
                                         0x80000000,
                                         0xffffffff,
                                         0x100000000,
                                         0x7fffffffffffffff,
                                         0x8000000000000000,
                                         0xffffffffffffffff};
  switch (below(r, 4)) {
    case 0: return kExtremes[below(r, std::size(kExtremes))];
    case 1: return below(r, 300);
    case 2: return r() >> below(r, 64);
    default: return r();
  }
}

void randomise(Random& r, bool& v) { v = below(r, 2) != 0; }
void randomise(Random& r, std::uint32_t& v) { v = static_cast<std::uint32_t>(random_bits(r)); }
void randomise(Random& r, std::int32_t& v) { v = static_cast<std::int32_t>(random_bits(r)); }
void randomise(Random& r, std::uint64_t& v) { v = random_bits(r); }
void randomise(Random& r, Time& v) { v = time_from_ns(random_bits(r)); }
void randomise(Random& r, std::string& v) {
  constexpr std::string_view kWords[] = {
      "",         "/health",  "\"",       "\\",           "\\\"\\x41", "a b=c",           "# no",
      "\n\r\t\v", "\xff\x80", "\xc3\xa9", "\xe2\x80\xae", "=",         "\xf0\x9f\x98\x80"};
  v.clear();
  for (std::uint64_t n = below(r, 4); n > 0; --n) v += kWords[below(r, std::size(kWords))];
  if (below(r, 3) == 0) {
    for (std::uint64_t n = below(r, 200); n > 0; --n) v += static_cast<char>(r());
  }
}
void randomise(Random& r, std::vector<std::uint64_t>& v) {
  v.resize(below(r, 6) == 0 ? below(r, 400) : below(r, 3));
  for (std::uint64_t& x : v) x = random_bits(r);
}

}  // namespace

Fd memory_file(std::string_view bytes) {
  Fd fd(::memfd_create("recording", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(fd.get(), bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  return fd;
}

std::string content(int fd) {
  std::string out(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd, out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
  return out;
}

Result<RecordingReader> reader_of(std::string_view bytes) {
  return RecordingReader::adopt(memory_file(bytes), "test");
}

Dump dump_of(std::string_view bytes) {
  Dump out;
  auto reader = reader_of(bytes);
  if (!reader.ok()) return out;
  auto report = dump_text(*reader, [&](std::string_view s) {
    out.text += s;
    return Status();
  });
  EXPECT_TRUE(report.ok());
  if (report.ok()) out.report = *report;
  return out;
}

std::string chunk_bytes(const HandMade& c) {
  Bytes packed(ZSTD_compressBound(c.payload.size()));
  packed.resize(ZSTD_compress(packed.data(), packed.size(), c.payload.data(), c.payload.size(), 1));
  Bytes out(std::begin(kChunkMagic), std::end(kChunkMagic));
  put_le(out, c.table);
  put_le(out, c.codec);
  put_le(out, c.rows);
  put_le(out, c.raw_bytes != 0 ? c.raw_bytes : static_cast<std::uint32_t>(c.payload.size()));
  put_le(out, static_cast<std::uint32_t>(packed.size()));
  put_le(out, std::uint32_t{0});
  uLong crc = ::crc32(0, out.data(), static_cast<uInt>(out.size()));
  crc = ::crc32(crc, packed.data(), static_cast<uInt>(packed.size()));
  put_le(out, static_cast<std::uint32_t>(crc));
  out.insert(out.end(), packed.begin(), packed.end());
  return {out.begin(), out.end()};
}

Bytes payload_of(const std::vector<std::string>& strings, const std::vector<HandColumn>& columns) {
  Bytes table;
  put_varint(table, strings.size());
  for (const std::string& s : strings) {
    put_varint(table, s.size());
    put_bytes(table, s);
  }
  Bytes out;
  put_varint(out, columns.size());
  put_varint(out, table.size());
  out.insert(out.end(), table.begin(), table.end());
  for (const HandColumn& c : columns) {
    out.push_back(static_cast<std::uint8_t>(c.encoding));
    put_varint(out, c.data.size());
    out.insert(out.end(), c.data.begin(), c.data.end());
  }
  return out;
}

std::string file_header() {
  return recording_of([](RecordingWriter&) {});
}

AnyRow random_row(Random& r, Table table) {
  AnyRow out;
  with_row_type(table, [&]<class Row>(std::type_identity<Row>) {
    Row& row = out.emplace<Row>();
    for_each_field<Row>([&](std::size_t, const auto& f) {
      if (below(r, 4) != 0) randomise(r, row.*f.member);
    });
  });
  return out;
}

void add(RecordingWriter& writer, const AnyRow& row) {
  std::visit([&](const auto& x) { writer.add(x); }, row);
}

bool same(const AnyRow& a, const AnyRow& b) {
  if (a.index() != b.index()) return false;
  bool equal = true;
  std::visit(
      [&]<class Row>(const Row& x) {
        const Row& y = *std::get_if<Row>(&b);
        for_each_field<Row>(
            [&](std::size_t, const auto& f) { equal = equal && x.*f.member == y.*f.member; });
      },
      a);
  return equal;
}

std::string text_of(const AnyRow& row) {
  return std::visit([](const auto& x) { return to_text(x); }, row);
}

std::vector<AnyRow> rows_of(std::string_view bytes) {
  std::vector<AnyRow> out;
  auto reader = reader_of(bytes);
  EXPECT_TRUE(reader.ok());
  auto report = reader->read_all([&](const auto& row) { out.emplace_back(row); });
  EXPECT_TRUE(report.ok());
  return out;
}

}  // namespace srvprof::test
