#include "base/string_table.h"

#include <algorithm>
#include <cstring>
#include <functional>

namespace srvprof {
namespace {

constexpr std::size_t kBlockBytes = 64u << 10;
constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kKeptSlots = 1u << 17;  // 512 KiB survive a clear()

std::uint32_t hash_of(std::string_view s) {
  const std::size_t h = std::hash<std::string_view>{}(s);
  return static_cast<std::uint32_t>(h ^ (h >> 32));
}

}  // namespace

std::size_t StringTable::slot_of(std::string_view s, std::uint32_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    if (slots_[i] == 0) return i;
    const Entry& e = entries_[slots_[i] - 1];
    if (e.hash == hash && std::string_view(e.data, e.length) == s) return i;
  }
}

const char* StringTable::store(std::string_view s) {
  if (block_size_ - block_used_ < s.size()) {
    block_size_ = std::max(kBlockBytes, s.size());
    block_used_ = 0;
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_bytes_ += block_size_;
  }
  char* p = blocks_.back().get() + block_used_;
  std::memcpy(p, s.data(), s.size());
  block_used_ += s.size();
  return p;
}

void StringTable::grow() {
  slots_.assign(std::max(kFirstSlots, slots_.size() * 2), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t k = 0; k < entries_.size(); ++k) {
    std::size_t i = entries_[k].hash & mask;
    while (slots_[i] != 0) i = (i + 1) & mask;
    slots_[i] = static_cast<std::uint32_t>(k + 1);
  }
}

StringId StringTable::intern(std::string_view s) {
  if (s.empty()) return {};
  if ((entries_.size() + 1) * 2 > slots_.size()) grow();
  const std::uint32_t hash = hash_of(s);
  std::uint32_t& slot = slots_[slot_of(s, hash)];
  if (slot == 0) {
    entries_.push_back({store(s), static_cast<std::uint32_t>(s.size()), hash});
    text_bytes_ += s.size();
    slot = static_cast<std::uint32_t>(entries_.size());
  }
  return {slot};
}

StringId StringTable::find(std::string_view s) const {
  if (s.empty() || slots_.empty()) return {};
  return {slots_[slot_of(s, hash_of(s))]};
}

std::string_view StringTable::get(StringId id) const {
  if (!id) return {};
  const Entry& e = entries_[id.value - 1];
  return {e.data, e.length};
}

std::size_t StringTable::memory_bytes() const {
  return entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(slots_[0]) + block_bytes_;
}

void StringTable::clear() {
  entries_.clear();
  blocks_.clear();
  block_size_ = block_used_ = block_bytes_ = text_bytes_ = 0;
  if (slots_.size() > kKeptSlots) {
    std::vector<std::uint32_t>().swap(slots_);
    std::vector<Entry>().swap(entries_);
  } else {
    std::fill(slots_.begin(), slots_.end(), 0u);
  }
}

}  // namespace srvprof
