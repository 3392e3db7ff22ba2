#include "elf/string_xref.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <functional>

namespace srvprof {
namespace {

constexpr std::uint64_t kWindow = 4 << 20;
constexpr std::uint64_t kLongestFunction = 64 << 10;
constexpr std::size_t kMostReferences = 64;  // of one target: more tell nothing

// Calls see(bytes, vaddr of bytes[0], first byte that was not seen before) for pieces of a segment.
void for_windows(const ElfFile& elf, const ElfSegment& s, std::uint64_t overlap,
                 const std::function<void(std::string_view, std::uint64_t, std::uint64_t)>& see) {
  for (std::uint64_t at = 0; at < s.file_size; at += kWindow) {
    const std::uint64_t from = at > overlap ? at - overlap : 0;
    const std::uint64_t to = std::min(s.file_size, at + kWindow);
    const auto bytes = read_bytes(elf, s.offset + from, to - from, kWindow + overlap);
    if (!bytes.ok()) return;
    see(*bytes, s.vaddr + from, at - from);
  }
}

template <class T>
T load_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Start of the function that holds bytes[at]; 0 if there is none nearby.
std::uint64_t function_start(std::string_view bytes, std::uint64_t vaddr, std::size_t at) {
  constexpr std::string_view kPrologue = "\x55\x48\x89\xe5", kPadded = "\xf3\x0f\x1e\xfa\x55\x48\x89\xe5";
  std::uint64_t address = (vaddr + at) & ~std::uint64_t{15};
  for (; address > vaddr && vaddr + at - address < kLongestFunction; address -= 16) {
    const std::size_t x = address - vaddr;
    const std::string_view rest = bytes.substr(x);
    if (!rest.starts_with(kPrologue) && !rest.starts_with(kPadded)) continue;
    // int3, nop, ret, zero, or the second byte of ud2.
    const auto before = static_cast<unsigned char>(bytes[x - 1]);
    if (before == 0xcc || before == 0x90 || before == 0xc3 || before == 0 || before == 0x0b) return address;
  }
  return 0;
}

// The address that the instruction whose last four bytes are at `at` refers to, if it is such a one.
std::uint64_t referred(std::string_view bytes, std::uint64_t vaddr, std::size_t at, bool calls) {
  const auto op = static_cast<unsigned char>(bytes[at - 1]);
  const std::uint64_t next = vaddr + at + 4;
  const auto relative = next + static_cast<std::uint64_t>(
                                   static_cast<std::int64_t>(load_at<std::int32_t>(bytes, at)));
  if (calls) return op == 0xe8 || op == 0xe9 ? relative : 0;
  if ((op & 0xf8) == 0xb8) return load_at<std::uint32_t>(bytes, at);
  // lea: opcode 8d, then a ModRM byte with mod 0 and rm 5.
  if ((op & 0xc7) == 0x05 && static_cast<unsigned char>(bytes[at - 2]) == 0x8d) return relative;
  return 0;
}

}  // namespace

std::optional<std::uint64_t> find_text(const ElfFile& elf, std::string_view text) {
  std::string wanted(text);
  wanted.push_back('\0');
  std::vector<std::uint64_t> found;
  for (const ElfSegment& s : elf.segments) {
    if (s.exec || s.write) continue;
    for_windows(elf, s, wanted.size(), [&](std::string_view bytes, std::uint64_t vaddr, std::uint64_t) {
      for (std::size_t at = bytes.find(wanted); at != std::string_view::npos && found.size() < 3;
           at = bytes.find(wanted, at + 1)) {
        found.push_back(vaddr + at);
      }
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  if (found.size() != 1) return std::nullopt;
  return found.front();
}

std::vector<std::vector<CodeReference>> find_references(const ElfFile& elf,
                                                        const std::vector<std::uint64_t>& targets,
                                                        bool calls) {
  std::vector<std::vector<CodeReference>> out(targets.size());
  if (elf.machine != EM_X86_64) return out;
  for (const ElfSegment& s : elf.segments) {
    if (!s.exec) continue;
    for_windows(elf, s, kLongestFunction, [&](std::string_view bytes, std::uint64_t vaddr,
                                              std::uint64_t fresh) {
      // A reference that reaches over the end of a piece begins before `fresh` of the next one.
      for (std::size_t at = std::max<std::uint64_t>(2, fresh > 8 ? fresh - 8 : 2); at + 4 <= bytes.size(); ++at) {
        const std::uint64_t to = referred(bytes, vaddr, at, calls);
        if (to == 0) continue;
        for (std::size_t i = 0; i < targets.size(); ++i) {
          if (to != targets[i] || out[i].size() >= kMostReferences) continue;
          const std::uint64_t function = function_start(bytes, vaddr, at);
          const bool seen = !out[i].empty() && out[i].back().vaddr == vaddr + at - 1;
          if (function != 0 && !seen) out[i].push_back({vaddr + at - 1, function});
        }
      }
    });
  }
  return out;
}

}  // namespace srvprof
