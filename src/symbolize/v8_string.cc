#include "symbolize/v8_string.h"

#include <algorithm>
#include <cstring>

#include "symbolize/script_function.h"

namespace srvprof {
namespace {

constexpr int kMaxParts = 4096;
// External strings that do not keep the address of their characters (kUncachedExternalStringMask).
constexpr int kUncached = 16;

struct Part {
  std::uint64_t string = 0;
  std::uint32_t from = 0, chars = 0;
};

class PieceFinder {
 public:
  PieceFinder(const V8Layout& layout, const MemoryReader& memory)
      : layout_(layout), memory_(memory) {}

  bool find(std::uint64_t string, std::uint32_t max_chars) {
    const auto length = length_of(string);
    if (!length) return false;
    parts_.push_back({string, 0, std::min(*length, max_chars)});
    for (int budget = kMaxParts; !parts_.empty(); --budget) {
      if (budget == 0) return false;
      const Part part = parts_.back();
      parts_.pop_back();
      if (part.chars != 0 && !split(part)) return false;
    }
    return true;
  }

  std::vector<V8Piece> take() { return std::move(pieces_); }

 private:
  std::optional<std::uint32_t> length_of(std::uint64_t string) const {
    if (!is_v8_object(string)) return std::nullopt;
    const auto type = v8_type(layout_, memory_, string);
    if (!type || *type >= layout_.first_nonstring) return std::nullopt;
    const auto length =
        read_value<std::int32_t>(memory_, string - 1 + static_cast<std::uint64_t>(layout_.string_length));
    if (!length || *length < 0) return std::nullopt;
    return static_cast<std::uint32_t>(*length);
  }

  // Puts the parts that `part` consists of on the stack, or its characters into pieces_.
  bool split(const Part& part) {
    const auto type = v8_type(layout_, memory_, part.string);
    const auto length = length_of(part.string);
    if (!type || !length || part.from > *length || part.chars > *length - part.from) return false;
    const std::int32_t form = *type & layout_.representation_mask;
    const bool one_byte = (*type & layout_.one_byte_tag) != 0;
    if (form == 0) {
      const auto chars = one_byte ? layout_.one_byte_chars : layout_.two_byte_chars;
      return add(part.string - 1 + static_cast<std::uint64_t>(chars), part, one_byte);
    }
    if (form == layout_.cons_tag) return split_cons(part);
    if (form == layout_.thin_tag) return follow(part, layout_.thin_actual, part.from);
    if (form == layout_.sliced_tag) {
      const auto offset = v8_field(memory_, part.string, layout_.sliced_offset);
      if (!offset || !is_v8_smi(*offset) || v8_smi(*offset) < 0) return false;
      const std::uint64_t from = part.from + static_cast<std::uint64_t>(v8_smi(*offset));
      return from <= 0x7fffffff &&
             follow(part, layout_.sliced_parent, static_cast<std::uint32_t>(from));
    }
    if (form == layout_.external_tag && (*type & kUncached) == 0) {
      // Behind the pointer to the embedder's object.
      const auto data = v8_field(memory_, part.string, layout_.external_resource + 8);
      return data && add(*data, part, one_byte);
    }
    return false;
  }

  bool split_cons(const Part& part) {
    const auto first = v8_field(memory_, part.string, layout_.cons_first);
    const auto second = v8_field(memory_, part.string, layout_.cons_second);
    const auto first_length = first ? length_of(*first) : std::nullopt;
    if (!first_length || !second) return false;
    const std::uint32_t here =
        part.from < *first_length ? std::min(part.chars, *first_length - part.from) : 0;
    const std::uint32_t from = part.from > *first_length ? part.from - *first_length : 0;
    if (here < part.chars) parts_.push_back({*second, from, part.chars - here});
    if (here != 0) parts_.push_back({*first, part.from, here});
    return true;
  }

  bool follow(const Part& part, std::int32_t offset, std::uint32_t from) {
    const auto actual = v8_field(memory_, part.string, offset);
    if (!actual || !is_v8_object(*actual)) return false;
    parts_.push_back({*actual, from, part.chars});
    return true;
  }

  bool add(std::uint64_t chars, const Part& part, bool one_byte) {
    const std::uint64_t width = one_byte ? 1 : 2;
    pieces_.push_back({chars + part.from * width, part.chars, one_byte});
    return true;
  }

  const V8Layout& layout_;
  const MemoryReader& memory_;
  std::vector<Part> parts_;  // the next one last
  std::vector<V8Piece> pieces_;
};

// The characters of a piece from `from` on, at most as many as `out` has room for.
template <class Char>
bool read_chars(const MemoryReader& memory, const V8Piece& piece, std::uint32_t from,
                std::span<Char> out) {
  return memory(piece.address + std::uint64_t{from} * sizeof(Char), std::as_writable_bytes(out));
}

// Line ends of text that comes in blocks.
struct LineEnds {
  std::vector<std::uint32_t> ends;
  std::size_t max_lines;
  std::uint32_t position = 0;
  bool carriage_return = false;  // the last character; its line ends unless \n follows

  void add(char16_t c) {
    if (carriage_return && c != '\n') end_at(position - 1);
    carriage_return = c == '\r';
    if (c == '\n' || c == 0x2028 || c == 0x2029) end_at(position);
    ++position;
  }
  void finish() {
    if (carriage_return) end_at(position - 1);
    end_at(position);
  }
  void end_at(std::uint32_t at) {
    if (ends.size() < max_lines) ends.push_back(at);
  }
};

template <class Char>
bool scan(const MemoryReader& memory, const V8Piece& piece, LineEnds& lines) {
  constexpr std::uint32_t kBlock = 1 << 18;
  std::vector<Char> block(std::min(piece.chars, kBlock));
  for (std::uint32_t done = 0; done < piece.chars;) {
    const std::uint32_t n = std::min(piece.chars - done, kBlock);
    if (!read_chars<Char>(memory, piece, done, std::span(block).first(n))) return false;
    for (std::uint32_t i = 0; i < n; ++i) lines.add(block[i]);
    done += n;
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> v8_field(const MemoryReader& memory, std::uint64_t tagged,
                                      std::int32_t offset) {
  return read_value<std::uint64_t>(memory, tagged - 1 + static_cast<std::uint64_t>(offset));
}

std::optional<std::uint16_t> v8_type(const V8Layout& layout, const MemoryReader& memory,
                                     std::uint64_t tagged) {
  if (!is_v8_object(tagged)) return std::nullopt;
  const auto map = v8_field(memory, tagged, 0);
  // While an object is moved, a forwarding address without tag stands here.
  if (!map || !is_v8_object(*map)) return std::nullopt;
  return read_value<std::uint16_t>(
      memory, *map - 1 + static_cast<std::uint64_t>(layout.map_instance_type));
}

std::optional<std::vector<V8Piece>> v8_pieces(const V8Layout& layout, const MemoryReader& memory,
                                              std::uint64_t tagged, std::uint32_t max_chars) {
  PieceFinder finder(layout, memory);
  if (!finder.find(tagged, max_chars)) return std::nullopt;
  return finder.take();
}

std::optional<std::string> v8_text(const V8Layout& layout, const MemoryReader& memory,
                                   std::uint64_t tagged, std::uint32_t max_chars) {
  const auto pieces = v8_pieces(layout, memory, tagged, max_chars);
  if (!pieces) return std::nullopt;
  std::string text;
  for (const V8Piece& piece : *pieces) {
    if (piece.one_byte) {
      std::string chars(piece.chars, '\0');
      if (!read_chars<char>(memory, piece, 0, chars)) return std::nullopt;
      text += utf8_of_latin1(chars);
    } else {
      std::u16string chars(piece.chars, u'\0');
      if (!read_chars<char16_t>(memory, piece, 0, chars)) return std::nullopt;
      text += utf8_of_utf16(chars);
    }
  }
  return text;
}

std::optional<std::vector<std::uint32_t>> v8_line_ends(const V8Layout& layout,
                                                       const MemoryReader& memory,
                                                       std::uint64_t tagged,
                                                       std::uint32_t max_chars,
                                                       std::size_t max_lines) {
  const auto pieces = v8_pieces(layout, memory, tagged, max_chars);
  if (!pieces) return std::nullopt;
  LineEnds lines{.ends = {}, .max_lines = max_lines};
  for (const V8Piece& piece : *pieces) {
    const bool all = piece.one_byte ? scan<unsigned char>(memory, piece, lines)
                                    : scan<char16_t>(memory, piece, lines);
    if (!all) return std::nullopt;
  }
  lines.finish();
  return std::move(lines.ends);
}

}  // namespace srvprof
