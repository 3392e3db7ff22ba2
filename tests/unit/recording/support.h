// What the tests of recordings share: recordings in memory, chunks made by hand, random rows.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/fd.h"
#include "recording/format.h"
#include "recording/reader.h"
#include "recording/text.h"
#include "recording/writer.h"

namespace srvprof::test {

inline Fd memory_file(std::string_view bytes = {}) {
  Fd fd(::memfd_create("recording", MFD_CLOEXEC));
  EXPECT_EQ(::pwrite(fd.get(), bytes.data(), bytes.size(), 0),
            static_cast<ssize_t>(bytes.size()));
  return fd;
}

inline std::string content(int fd) {
  std::string out(static_cast<std::size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd, out.data(), out.size(), 0), static_cast<ssize_t>(out.size()));
  return out;
}

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

inline Result<RecordingReader> reader_of(std::string_view bytes) {
  return RecordingReader::adopt(memory_file(bytes), "test");
}

// The text form of all rows that can be read, and what the reader says of the rest.
struct Dump {
  std::string text;
  ReadReport report;
};
inline Dump dump_of(std::string_view bytes) {
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

// What a hostile or a newer writer would write.
struct HandMade {
  std::uint16_t table = 0;
  std::uint16_t codec = kCodecVersion;
  std::uint32_t rows = 0;
  Bytes payload;
  std::uint32_t raw_bytes = 0;  // 0: the true one
};

inline std::string chunk_bytes(const HandMade& c) {
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

// A column as it stands in a payload.
struct HandColumn {
  int encoding = 0;
  Bytes data;
};
inline Bytes payload_of(const std::vector<std::string>& strings,
                        const std::vector<HandColumn>& columns) {
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

inline std::string file_header() {
  return recording_of([](RecordingWriter&) {});
}

using Random = std::mt19937_64;

inline std::uint64_t below(Random& r, std::uint64_t n) { return r() % n; }

// Mostly the extremes and small changes, where codecs break; never all values alike.
inline std::uint64_t random_bits(Random& r) {
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

inline void randomise(Random& r, bool& v) { v = below(r, 2) != 0; }
inline void randomise(Random& r, std::uint32_t& v) { v = static_cast<std::uint32_t>(random_bits(r)); }
inline void randomise(Random& r, std::int32_t& v) { v = static_cast<std::int32_t>(random_bits(r)); }
inline void randomise(Random& r, std::uint64_t& v) { v = random_bits(r); }
inline void randomise(Random& r, Time& v) { v = time_from_ns(random_bits(r)); }
inline void randomise(Random& r, std::string& v) {
  constexpr std::string_view kWords[] = {"",       "/health", "\"",        "\\",     "\\\"\\x41",
                                         "a b=c",  "# no",    "\n\r\t\v",  "\xff\x80", "\xc3\xa9",
                                         "\xe2\x80\xae", "=",  "\xf0\x9f\x98\x80"};
  v.clear();
  for (std::uint64_t n = below(r, 4); n > 0; --n) v += kWords[below(r, std::size(kWords))];
  if (below(r, 3) == 0) {
    for (std::uint64_t n = below(r, 200); n > 0; --n) v += static_cast<char>(r());
  }
}
inline void randomise(Random& r, std::vector<std::uint64_t>& v) {
  v.resize(below(r, 6) == 0 ? below(r, 400) : below(r, 3));
  for (std::uint64_t& x : v) x = random_bits(r);
}

template <class Row>
Row random_row(Random& r) {
  Row row;
  for_each_field<Row>([&](std::size_t, const auto& f) {
    if (below(r, 4) != 0) randomise(r, row.*f.member);
  });
  return row;
}

template <class Row>
bool same(const Row& a, const Row& b) {
  bool equal = true;
  for_each_field<Row>(
      [&](std::size_t, const auto& f) { equal = equal && a.*f.member == b.*f.member; });
  return equal;
}

// Calls f(std::type_identity<Row>{}) for every row type.
template <class F>
void for_each_row_type(F&& f) {
  [&]<class... Row>(std::type_identity<std::tuple<Row...>>) {
    (f(std::type_identity<Row>{}), ...);
  }(std::type_identity<rows::All>{});
}

}  // namespace srvprof::test
