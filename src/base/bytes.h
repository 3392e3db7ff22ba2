// Bounds-checked reading and plain writing of little-endian integers and varints (LEB128, seven
// bits a byte, low bits first; at most ten bytes).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

namespace srvprof {

using Bytes = std::vector<std::uint8_t>;

inline constexpr std::size_t kMaxVarintBytes = 10;

// Maps small magnitudes of either sign to small numbers.
constexpr std::uint64_t zigzag(std::int64_t v) {
  return (static_cast<std::uint64_t>(v) << 1) ^ static_cast<std::uint64_t>(v >> 63);
}
constexpr std::int64_t unzigzag(std::uint64_t v) {
  return static_cast<std::int64_t>((v >> 1) ^ (~(v & 1) + 1));
}

inline void put_varint(Bytes& out, std::uint64_t v) {
  while (v >= 0x80) {
    out.push_back(static_cast<std::uint8_t>(v | 0x80));
    v >>= 7;
  }
  out.push_back(static_cast<std::uint8_t>(v));
}

inline void put_bytes(Bytes& out, std::string_view s) {
  const auto* p = reinterpret_cast<const std::uint8_t*>(s.data());
  out.insert(out.end(), p, p + s.size());
}

// Unsigned T, little-endian.
template <class T>
void put_le(Bytes& out, T v) {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    out.push_back(static_cast<std::uint8_t>(v >> (8 * i)));
}

// Reads from a span. After the first read that does not fit, ok() is false, every later read gives
// zero or empty, and nothing outside the span was touched.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  std::size_t left() const { return bytes_.size() - at_; }
  std::size_t position() const { return at_; }

  std::uint8_t u8() {
    if (left() == 0) return fail(), std::uint8_t{0};
    return bytes_[at_++];
  }

  // Unsigned T, little-endian.
  template <class T>
  T le() {
    if (left() < sizeof(T)) return fail(), T{0};
    T v = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      v = static_cast<T>(v | static_cast<T>(static_cast<T>(bytes_[at_ + i]) << (8 * i)));
    }
    at_ += sizeof(T);
    return v;
  }

  std::uint64_t varint() {
    std::uint64_t v = 0;
    for (unsigned shift = 0; shift < 7 * kMaxVarintBytes; shift += 7) {
      const std::uint8_t b = u8();
      // The tenth byte has room for one bit.
      if (shift == 63 && b > 1) return fail(), 0;
      v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return ok_ ? v : 0;
    }
    return fail(), 0;
  }

  std::span<const std::uint8_t> bytes(std::uint64_t n) {
    if (n > left()) return fail(), std::span<const std::uint8_t>{};
    const auto part = bytes_.subspan(at_, static_cast<std::size_t>(n));
    at_ += part.size();
    return part;
  }

  std::string_view text(std::uint64_t n) {
    const auto part = bytes(n);
    return {reinterpret_cast<const char*>(part.data()), part.size()};
  }

 private:
  void fail() {
    ok_ = false;
    at_ = bytes_.size();
  }

  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace srvprof
