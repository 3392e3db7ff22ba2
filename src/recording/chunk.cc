#include "recording/chunk.h"

#include <limits>
#include <utility>

#include <fmt/format.h>

#include "recording/format.h"

namespace srvprof {
namespace {

bool known_encoding(Encoding e) { return e >= Encoding::kBool && e <= Encoding::kDict; }

// The next value of a column of numbers, signed ones as their bit pattern; false if it is
// ill-formed.
bool read_number(ColumnCursor& c, std::uint64_t& value) {
  std::uint64_t v = c.encoding == Encoding::kBool ? c.bytes.u8() : c.bytes.varint();
  switch (c.encoding) {
    case Encoding::kBool:
      if (v > 1) return false;
      break;
    case Encoding::kSint: v = static_cast<std::uint64_t>(unzigzag(v)); break;
    case Encoding::kDelta: v = c.previous += static_cast<std::uint64_t>(unzigzag(v)); break;
    case Encoding::kDict:
      if (v > c.values.size()) return false;
      if (v == 0) {
        c.values.push_back(c.previous += static_cast<std::uint64_t>(unzigzag(c.bytes.varint())));
        v = c.values.size();
      }
      v = c.values[static_cast<std::size_t>(v - 1)];
      break;
    default: break;
  }
  value = v;
  return c.bytes.ok();
}

// What the values of one row are taken from, beside its column.
struct RowSource {
  const std::vector<std::string_view>& strings;
  std::size_t& string_bytes;
};

template <class T>
constexpr bool accepts(Encoding e) {
  if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::uint64_t>>) {
    return e == encoding_of<T>();
  } else if constexpr (std::is_same_v<T, std::int32_t>) {
    return e == Encoding::kSint;
  } else {
    return e == Encoding::kBool || e == Encoding::kUint || e == Encoding::kDelta ||
           e == Encoding::kDict;
  }
}

bool read_value(ColumnCursor& c, RowSource, Time& out) {
  std::uint64_t v = 0;
  if (!read_number(c, v)) return false;
  out = time_from_ns(v);
  return true;
}

bool read_value(ColumnCursor& c, RowSource, std::int32_t& out) {
  std::uint64_t bits = 0;
  if (!read_number(c, bits)) return false;
  const auto v = static_cast<std::int64_t>(bits);
  out = static_cast<std::int32_t>(v);
  return out == v;
}

// bool, uint32, uint64
template <class T>
bool read_value(ColumnCursor& c, RowSource, T& out) {
  std::uint64_t v = 0;
  if (!read_number(c, v) || v > std::numeric_limits<T>::max()) return false;
  out = static_cast<T>(v);
  return true;
}

bool read_value(ColumnCursor& c, RowSource source, std::string& out) {
  const std::uint64_t id = c.bytes.varint();
  if (!c.bytes.ok() || id > source.strings.size()) return false;
  out = id == 0 ? std::string_view{} : source.strings[static_cast<std::size_t>(id - 1)];
  source.string_bytes += out.size();
  return source.string_bytes <= kMaxStringBytes;
}

bool read_value(ColumnCursor& c, RowSource, std::vector<std::uint64_t>& out) {
  out.clear();
  const std::uint64_t length = c.bytes.varint();
  // Each element takes at least a byte: checked before the memory is taken.
  if (!c.bytes.ok() || length > kMaxListLength || length > c.bytes.left()) return false;
  out.reserve(static_cast<std::size_t>(length));
  std::uint64_t v = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    out.push_back(v += static_cast<std::uint64_t>(unzigzag(c.bytes.varint())));
  }
  return c.bytes.ok();
}

std::string read_strings(ByteReader in, std::vector<std::string_view>& out) {
  const std::uint64_t count = in.varint();
  if (count > kMaxChunkStrings || count > in.left()) return "string table: absurd size";
  out.reserve(static_cast<std::size_t>(count));
  for (std::uint64_t i = 0; i < count; ++i) out.push_back(in.text(in.varint()));
  return in.ok() ? "" : "string table: cut short";
}

}  // namespace

ChunkColumns split_columns(const Chunk& chunk) {
  ChunkColumns out;
  ByteReader in(chunk.raw);
  const std::uint64_t count = in.varint();
  if (!in.ok() || count == 0 || count > kMaxColumns) {
    out.error = "absurd number of columns";
    return out;
  }
  out.error = read_strings(ByteReader(in.bytes(in.varint())), out.strings);
  for (std::uint64_t i = 0; i < count && out.error.empty(); ++i) {
    ColumnCursor c;
    c.encoding = static_cast<Encoding>(in.u8());
    c.bytes = ByteReader(in.bytes(in.varint()));
    if (!in.ok()) out.error = fmt::format("column {}: cut short", i);
    out.columns.push_back(std::move(c));
  }
  return out;
}

template <class Row>
ChunkRows<Row>::ChunkRows(const Chunk& chunk) : columns_(split_columns(chunk)), left_(chunk.rows) {
  for_each_field<Row>([&]<class T>(std::size_t i, const rows::Field<Row, T>& f) {
    if (i >= columns_.columns.size() || !error().empty()) return;
    const Encoding e = columns_.columns[i].encoding;
    if (!known_encoding(e) || !accepts<T>(e)) {
      columns_.error =
          fmt::format("column '{}': encoding {} does not fit", f.name, static_cast<unsigned>(e));
    }
  });
}

template <class Row>
bool ChunkRows<Row>::next(Row& row) {
  if (left_ == 0 || !error().empty()) return false;
  --left_;
  const RowSource source{columns_.strings, string_bytes_};
  for_each_field<Row>([&]<class T>(std::size_t i, const rows::Field<Row, T>& f) {
    if (i >= columns_.columns.size() || !error().empty()) return;
    ColumnCursor& c = columns_.columns[i];
    if (!read_value(c, source, row.*f.member)) {
      columns_.error = fmt::format("column '{}': ill-formed value", f.name);
    } else if (left_ == 0 && c.bytes.left() != 0) {
      columns_.error = fmt::format("column '{}': more values than rows", f.name);
    }
  });
  return error().empty();
}

#define SRVPROF_INSTANTIATE(Row) template class ChunkRows<rows::Row>;
SRVPROF_EACH_ROW(SRVPROF_INSTANTIATE)
#undef SRVPROF_INSTANTIATE

}  // namespace srvprof
