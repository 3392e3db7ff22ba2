// One copied stack, three walks, and what they have in common.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "oracle.h"
#include "unwind/code_map.h"
#include "unwind/walk.h"

namespace srvprof {

// Copies from the copied stack; false if it is not all there.
bool read_copy(const oracle_copy& copy, std::uint64_t address, void* to, std::size_t size);

// By our rows, in user space. Code is read from the process where the copy has none.
StackWalk walk_copy(const oracle_copy& copy, pid_t pid, std::span<const CodeRange> code, bool switches);

// Counts of one kind of stacks (on or off CPU).
struct Tally {
  std::uint64_t stacks = 0, complete = 0, broken = 0, deep = 0;
  std::uint64_t rows_complete = 0, rows_same = 0;  // of the walk by our rows in user space
  std::uint64_t dwarf = 0;        // stacks that libdw followed as far, or to what it calls the end
  std::uint64_t dwarf_same = 0;   // of them, frame by frame the same as the kernel side's
  std::uint64_t dwarf_short = 0;  // stacks that libdw gave up before: it knows no code without rows
  std::uint64_t dwarf_short_same = 0;  // of them, the same as far as it got
  std::vector<std::uint32_t> walk_ns, kernel_ns;  // one a stack: our walk, bpf_get_stack
  std::vector<std::string> differences;  // the first few, in words
};

// Of the kernel side's walk; python: what stands for the Python functions of one frame becomes that frame again.
std::vector<std::uint64_t> pcs_of(const sp_walk& walk, bool python);
void count_rows(std::span<const std::uint64_t> kernel, const StackWalk& walk, Tally& tally);
void count_dwarf(std::span<const std::uint64_t> kernel, std::span<const std::uint64_t> pcs, bool whole, Tally& tally);

// {"stacks": 12, ...}
std::string json_of(Tally tally);

}  // namespace srvprof
