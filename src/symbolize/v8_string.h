// Strings in V8's heap. V8 builds them of parts (cons, slice, thin, external), which are followed
// with a bound on the number of parts: the heap is hostile, and may change while it is read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "symbolize/v8_layout.h"
#include "target/memory.h"

namespace srvprof {

// An object by its tagged pointer; Smis (small integers) have the lowest bit clear.
constexpr bool is_v8_object(std::uint64_t tagged) { return (tagged & 3) == 1; }
constexpr bool is_v8_smi(std::uint64_t tagged) { return (tagged & 1) == 0; }
constexpr std::int32_t v8_smi(std::uint64_t tagged) {
  return static_cast<std::int32_t>(static_cast<std::int64_t>(tagged) >> 32);
}

// The instance type of an object, or nothing if there is none at that address.
std::optional<std::uint16_t> v8_type(const V8Layout& layout, const MemoryReader& memory,
                                     std::uint64_t tagged);

// The tagged word `offset` bytes into an object.
std::optional<std::uint64_t> v8_field(const MemoryReader& memory, std::uint64_t tagged,
                                      std::int32_t offset);

// Characters that lie in a row in memory.
struct V8Piece {
  std::uint64_t address = 0;
  std::uint32_t chars = 0;
  bool one_byte = true;  // Latin-1, else UTF-16
};

// The pieces of at most `max_chars` characters of a string, in order; nothing if `tagged` is no
// string or one whose parts cannot be followed.
std::optional<std::vector<V8Piece>> v8_pieces(const V8Layout& layout, const MemoryReader& memory,
                                              std::uint64_t tagged, std::uint32_t max_chars);

// Its text in UTF-8, cut at `max_chars`.
std::optional<std::string> v8_text(const V8Layout& layout, const MemoryReader& memory,
                                   std::uint64_t tagged, std::uint32_t max_chars);

// Offsets at which its lines end, as V8 counts them (\n, \r, \r\n, U+2028, U+2029), and one beyond
// its end; at most `max_lines`.
std::optional<std::vector<std::uint32_t>> v8_line_ends(const V8Layout& layout,
                                                       const MemoryReader& memory,
                                                       std::uint64_t tagged,
                                                       std::uint32_t max_chars,
                                                       std::size_t max_lines);

}  // namespace srvprof
