#include "recording/table_buffer.h"

#include <algorithm>

namespace srvprof {
namespace {

constexpr std::size_t kFirstSlots = 64;
// Columns are added up once in so many rows: cheap, and at most ~20 KiB late.
constexpr std::uint32_t kRowsPerSizeCheck = 64;
// A buffer that one large row blew up does not stay so.
constexpr std::size_t kKeptColumnBytes = kTargetRawBytes * 2;

std::size_t varint_bytes(std::uint64_t v) {
  std::size_t n = 1;
  for (; v >= 0x80; v >>= 7) ++n;
  return n;
}

}  // namespace

std::size_t ValueNumbers::slot_of(std::uint64_t value) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t i = (value * 0x9e3779b97f4a7c15u >> 32) & mask;
  while (slots_[i] != 0 && values_[slots_[i] - 1] != value) i = (i + 1) & mask;
  return i;
}

void ValueNumbers::grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  for (std::size_t k = 0; k < values_.size(); ++k) {
    slots_[slot_of(values_[k])] = static_cast<std::uint32_t>(k + 1);
  }
}

std::uint32_t ValueNumbers::number(std::uint64_t value) {
  if ((values_.size() + 1) * 2 > slots_.size()) grow();
  std::uint32_t& slot = slots_[slot_of(value)];
  if (slot != 0) return slot;
  values_.push_back(value);
  slot = static_cast<std::uint32_t>(values_.size());
  return 0;
}

void ValueNumbers::clear() {
  values_.clear();
  std::fill(slots_.begin(), slots_.end(), 0u);
}

std::size_t ValueNumbers::memory_bytes() const {
  return values_.capacity() * sizeof(values_[0]) + slots_.capacity() * sizeof(slots_[0]);
}

void ColumnBuffer::put_dict(std::uint64_t value) {
  if (last_number == 0 || value != last_value) {
    last_value = value;
    last_number = numbers.number(value);
    if (last_number == 0) {
      bytes.push_back(0);
      put_delta(value);
      last_number = numbers.number(value);
      return;
    }
  }
  put_varint(bytes, last_number);
}

void TableBuffer::put(ColumnBuffer& c, const std::vector<std::uint64_t>& v) {
  const std::size_t before = c.bytes.size();
  put_varint(c.bytes, v.size());
  std::uint64_t previous = 0;
  for (const std::uint64_t x : v) {
    put_varint(c.bytes, zigzag(static_cast<std::int64_t>(x - previous)));
    previous = x;
  }
  heavy_bytes_ += c.bytes.size() - before;
}

std::size_t TableBuffer::raw_bytes() const {
  // Three bytes of length a string: an upper bound for what is common, and only a target.
  std::size_t n = strings_.text_bytes() + strings_.size() * 3;
  for (const ColumnBuffer& c : columns_) n += c.bytes.size();
  return n;
}

void TableBuffer::check_size() {
  constexpr std::size_t kHeavy = kTargetRawBytes / 16;
  if (rows_ % kRowsPerSizeCheck != 0 && heavy_bytes_ < kHeavy && string_bytes_ < kTargetRawBytes) {
    return;
  }
  heavy_bytes_ = 0;
  full_ =
      rows_ >= kTargetRows || string_bytes_ >= kTargetStringBytes || raw_bytes() >= kTargetRawBytes;
}

void TableBuffer::payload(Bytes& out) const {
  put_varint(out, columns_.size());
  std::size_t table_bytes = varint_bytes(strings_.size()) + strings_.text_bytes();
  for (std::uint32_t id = 1; id <= strings_.size(); ++id) {
    table_bytes += varint_bytes(strings_.get({id}).size());
  }
  put_varint(out, table_bytes);
  put_varint(out, strings_.size());
  for (std::uint32_t id = 1; id <= strings_.size(); ++id) {
    put_varint(out, strings_.get({id}).size());
    put_bytes(out, strings_.get({id}));
  }
  for (const ColumnBuffer& c : columns_) {
    out.push_back(static_cast<std::uint8_t>(c.encoding));
    put_varint(out, c.bytes.size());
    out.insert(out.end(), c.bytes.begin(), c.bytes.end());
  }
}

void TableBuffer::clear() {
  for (ColumnBuffer& c : columns_) {
    c.bytes.clear();
    if (c.bytes.capacity() > kKeptColumnBytes) c.bytes = Bytes();
    c.previous = c.last_value = 0;
    c.last_number = 0;
    c.numbers.clear();
  }
  strings_.clear();
  rows_ = 0;
  string_bytes_ = heavy_bytes_ = 0;
  full_ = false;
}

std::size_t TableBuffer::memory_bytes() const {
  std::size_t n = strings_.memory_bytes();
  for (const ColumnBuffer& c : columns_) n += c.bytes.capacity() + c.numbers.memory_bytes();
  return n;
}

}  // namespace srvprof
