// Strings by number: each distinct string is kept once. Ids are given in the order of first use,
// from 1 on; id 0 is the empty string. Memory is that of the distinct strings plus ~24 bytes each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace srvprof {

class StringTable {
 public:
  // The id of `s`, a new one if it was not yet there. At most 2^32 - 2 strings of < 4 GiB each.
  StringId intern(std::string_view s);
  // The id of `s`, or 0 if it is not there (or empty).
  StringId find(std::string_view s) const;
  // Valid until clear() or the end of the table; the view does not move when the table grows.
  std::string_view get(StringId id) const;

  std::size_t size() const { return entries_.size(); }  // distinct strings that are not empty
  std::size_t text_bytes() const { return text_bytes_; }
  std::size_t memory_bytes() const;
  // Forgets all strings; keeps a little memory for the next ones.
  void clear();

 private:
  struct Entry {
    const char* data;
    std::uint32_t length;
    std::uint32_t hash;
  };
  std::size_t slot_of(std::string_view s, std::uint32_t hash) const;
  const char* store(std::string_view s);
  void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  // ids by hash, open addressing, a power of two; 0 = free
  std::vector<std::unique_ptr<char[]>> blocks_;
  std::size_t block_size_ = 0, block_used_ = 0;  // of the last block
  std::size_t block_bytes_ = 0;                  // of all blocks
  std::size_t text_bytes_ = 0;
};

}  // namespace srvprof
