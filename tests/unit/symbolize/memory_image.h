// The memory of a process that does not exist: bytes at addresses, for readers that follow pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include "target/memory.h"

namespace srvprof {

class MemoryImage {
 public:
  // Room for `bytes` zeros, aligned to 16.
  std::uint64_t allocate(std::size_t bytes) {
    const std::uint64_t at = kBase + bytes_.size();
    bytes_.resize(bytes_.size() + (bytes + 15) / 16 * 16);
    return at;
  }
  template <class T>
  void put(std::uint64_t address, T value) {
    std::memcpy(bytes_.data() + (address - kBase), &value, sizeof value);
  }
  void put_text(std::uint64_t address, std::string_view text) {
    std::memcpy(bytes_.data() + (address - kBase), text.data(), text.size());
  }
  // Sets an 8-byte word to something: a random number, a small one, or an address in the image.
  void damage(std::mt19937& random) {
    const std::uint64_t word = random() % (bytes_.size() / 8);
    const std::uint64_t values[] = {random(), random() % 300, kBase + random() % bytes_.size(),
                                    (std::uint64_t{random()} << 32)};
    put(kBase + word * 8, values[random() % 4]);
  }
  MemoryReader reader() const {
    return [this](std::uint64_t address, std::span<std::byte> out) {
      ++reads_;
      const std::uint64_t from = address - kBase;
      if (from > bytes_.size() || out.size() > bytes_.size() - from) return false;
      std::memcpy(out.data(), bytes_.data() + from, out.size());
      return true;
    };
  }
  std::size_t reads() const { return reads_; }

 private:
  static constexpr std::uint64_t kBase = 0x2000'0000'0000;
  std::vector<std::byte> bytes_;
  mutable std::size_t reads_ = 0;
};

}  // namespace srvprof
