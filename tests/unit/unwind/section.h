// Makes .eh_frame sections for tests.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "base/bytes.h"

namespace srvprof {

inline constexpr std::uint64_t kSectionVaddr = 0x100000;

class SectionBuilder {
 public:
  // A CIE as compilers write it: code alignment 1, data alignment -8, return address 16, 4-byte relative
  // addresses; CFA = rsp + 8, return address at CFA - 8. Returns where it lies.
  std::size_t common(std::string_view augmentation = "zR") {
    Bytes b;
    put_le<std::uint32_t>(b, 0);
    b.push_back(1);
    put_bytes(b, augmentation);
    b.push_back(0);
    b.insert(b.end(), {0x01, 0x78, 0x10});
    if (!augmentation.empty()) b.insert(b.end(), {0x01, 0x1b});
    b.insert(b.end(), {0x0c, 0x07, 0x08, 0x90, 0x01});
    return entry(b);
  }

  // An FDE of [begin, begin + size) that refers to the CIE at `common`.
  std::size_t function(std::size_t common, std::uint64_t begin, std::uint32_t size,
                       std::initializer_list<std::uint8_t> program) {
    Bytes b;
    put_le<std::uint32_t>(b, static_cast<std::uint32_t>(bytes.size() + 4 - common));
    put_le<std::uint32_t>(b, static_cast<std::uint32_t>(begin - (kSectionVaddr + bytes.size() + 8)));
    put_le<std::uint32_t>(b, size);
    b.push_back(0);
    b.insert(b.end(), program);
    return entry(b);
  }

  std::size_t entry(const Bytes& body) {
    const std::size_t at = bytes.size();
    put_le<std::uint32_t>(bytes, static_cast<std::uint32_t>(body.size()));
    bytes.insert(bytes.end(), body.begin(), body.end());
    return at;
  }

  Bytes bytes;
};

}  // namespace srvprof
