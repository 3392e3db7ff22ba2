// The rows of one table while they wait to become a chunk, already encoded column by column.
// Internal to the writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/string_table.h"
#include "base/time.h"
#include "recording/chunk.h"
#include "recording/format.h"

namespace srvprof {

// Numbers the distinct values of a column: 1, 2, ... in the order of first use.
class ValueNumbers {
 public:
  // The number of `value`; 0 if it is new (it has its number from now on).
  std::uint32_t number(std::uint64_t value);
  void clear();
  std::size_t memory_bytes() const;

 private:
  std::size_t slot_of(std::uint64_t value) const;
  void grow();

  std::vector<std::uint64_t> values_;
  std::vector<std::uint32_t> slots_;  // numbers by hash, open addressing, a power of two; 0 = free
};

struct ColumnBuffer {
  Encoding encoding{};
  Bytes bytes;
  std::uint64_t previous = 0;    // kDelta, kDict: the last (new) value
  std::uint64_t last_value = 0;  // kDict: value and number of the row before
  std::uint32_t last_number = 0;
  ValueNumbers numbers;

  void put_delta(std::uint64_t value) {
    put_varint(bytes, zigzag(static_cast<std::int64_t>(value - previous)));
    previous = value;
  }
  void put_dict(std::uint64_t value);
};

// The rows since the last clear().
class TableBuffer {
 public:
  template <class Row>
  void add(const Row& row);

  std::uint32_t rows() const { return rows_; }
  // Worth a chunk by now (kTarget* of format.h).
  bool full() const { return full_; }
  // The payload of FORMAT.md, appended to `out`.
  void payload(Bytes& out) const;
  void clear();
  std::size_t memory_bytes() const;

 private:
  void put(ColumnBuffer& c, bool v) { c.bytes.push_back(v ? 1 : 0); }
  void put(ColumnBuffer& c, std::uint32_t v) { put_varint(c.bytes, v); }
  void put(ColumnBuffer& c, std::int32_t v) { put_varint(c.bytes, zigzag(v)); }
  void put(ColumnBuffer& c, std::uint64_t v) { c.put_dict(v); }
  void put(ColumnBuffer& c, Time v) { c.put_delta(to_ns(v)); }
  void put(ColumnBuffer& c, const std::string& v) {
    put_varint(c.bytes, strings_.intern(v).value);
    string_bytes_ += v.size();
  }
  void put(ColumnBuffer& c, const std::vector<std::uint64_t>& v);
  void check_size();
  std::size_t raw_bytes() const;

  std::vector<ColumnBuffer> columns_;
  StringTable strings_;
  std::uint32_t rows_ = 0;
  std::size_t string_bytes_ = 0;  // as handed out by the reader
  std::size_t heavy_bytes_ = 0;   // of lists since the size was last looked at
  bool full_ = false;
};

template <class Row>
void TableBuffer::add(const Row& row) {
  if (columns_.empty()) {
    for_each_field<Row>([&]<class T>(std::size_t, const rows::Field<Row, T>&) {
      columns_.emplace_back().encoding = encoding_of<T>();
    });
  }
  for_each_field<Row>(
      [&](std::size_t i, const auto& field) { put(columns_[i], row.*field.member); });
  ++rows_;
  check_size();
}

}  // namespace srvprof
