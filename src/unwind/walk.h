// Walking a user stack in user space, by the same rows as the kernel side: the oracle of its tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "unwind/code_map.h"

namespace srvprof {

struct WalkRegisters {
  std::uint64_t pc = 0, sp = 0, bp = 0;
};

// As in rows::Stack::end.
enum class WalkEnd : std::uint8_t { kUnknown = 0, kComplete = 1, kBroken = 2, kDepth = 3 };

struct StackWalk {
  std::vector<std::uint64_t> pcs;  // innermost first
  WalkEnd end = WalkEnd::kUnknown;
  bool unmapped = false;  // a frame lies in no known code
};

// Copies `size` bytes at `address` to `to`; false if they are not all there.
using ReadMemory = std::function<bool(std::uint64_t address, void* to, std::size_t size)>;

struct WalkOptions {
  std::size_t max_frames = 127;
  bool switches = false;  // frames may lie on several stacks (goroutines)
};

// `code` is ascending (map_code).
StackWalk walk_stack(const WalkRegisters& registers, std::span<const CodeRange> code,
                     const ReadMemory& read, const WalkOptions& options = {});

}  // namespace srvprof
