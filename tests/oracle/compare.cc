#include "compare.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "target/memory.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxDifferences = 6;

std::string words_of(std::span<const std::uint64_t> pcs, std::size_t from) {
  std::string text;
  for (std::size_t i = from; i < pcs.size() && i < from + 4; ++i) text += fmt::format(" {:#x}", pcs[i]);
  return text;
}

void note_difference(const char* what, std::span<const std::uint64_t> kernel, std::span<const std::uint64_t> other,
                     Tally& tally) {
  if (tally.differences.size() >= kMaxDifferences) return;
  std::size_t i = 0;
  while (i < kernel.size() && i < other.size() && kernel[i] == other[i]) ++i;
  const std::size_t from = i == 0 ? 0 : i - 1;
  tally.differences.push_back(fmt::format("{}: frame {} of {}/{}: kernel side{}, other{}", what, i, kernel.size(),
                                          other.size(), words_of(kernel, from), words_of(other, from)));
}

// The smallest number that a share of them does not exceed.
std::uint32_t quantile(std::vector<std::uint32_t>& numbers, double share) {
  if (numbers.empty()) return 0;
  const auto at = static_cast<std::ptrdiff_t>(share * static_cast<double>(numbers.size() - 1));
  std::nth_element(numbers.begin(), numbers.begin() + at, numbers.end());
  return numbers[static_cast<std::size_t>(at)];
}

}  // namespace

bool read_copy(const oracle_copy& copy, std::uint64_t address, void* to, std::size_t size) {
  const std::uint64_t length = std::uint64_t{copy.pages} * ORACLE_PAGE;
  if (address < copy.base || size > length || address - copy.base > length - size) return false;
  std::memcpy(to, copy.stack + (address - copy.base), size);
  return true;
}

StackWalk walk_copy(const oracle_copy& copy, pid_t pid, std::span<const CodeRange> code, bool switches) {
  const ReadMemory read = [&](std::uint64_t address, void* to, std::size_t size) {
    if (read_copy(copy, address, to, size)) return true;
    // Code; and frames of a second stack, which may have changed since.
    if (address != copy.reg[16] && !switches) return false;
    auto bytes = read_memory(pid, address, size);
    if (!bytes) return false;
    std::memcpy(to, bytes->data(), size);
    return true;
  };
  WalkOptions options;
  options.max_frames = SP_STACK_MAX;
  options.switches = switches;
  return walk_stack({copy.reg[16], copy.reg[7], copy.reg[6]}, code, read, options);
}

std::vector<std::uint64_t> pcs_of(const sp_walk& walk, bool python) {
  std::vector<std::uint64_t> pcs;
  for (std::size_t i = 0; i < walk.h.aux && i < SP_STACK_MAX; ++i) {
    const bool again = python && i > 0 && walk.frame[i].hint != 0 && walk.frame[i].pc == pcs.back();
    if (!again) pcs.push_back(walk.frame[i].pc);
  }
  return pcs;
}

void count_rows(std::span<const std::uint64_t> kernel, const StackWalk& walk, Tally& tally) {
  tally.rows_complete += walk.end == WalkEnd::kComplete;
  if (std::equal(kernel.begin(), kernel.end(), walk.pcs.begin(), walk.pcs.end())) {
    ++tally.rows_same;
  } else {
    note_difference("rows", kernel, walk.pcs, tally);
  }
}

void count_dwarf(std::span<const std::uint64_t> kernel, std::span<const std::uint64_t> pcs, bool whole, Tally& tally) {
  const std::size_t n = std::min(pcs.size(), kernel.size());
  const bool prefix = std::equal(pcs.begin(), pcs.begin() + static_cast<std::ptrdiff_t>(n), kernel.begin());
  const bool far = whole || pcs.size() >= kernel.size();
  ++(far ? tally.dwarf : tally.dwarf_short);
  if (!far) {
    tally.dwarf_short_same += prefix;
  } else if (prefix && pcs.size() == kernel.size()) {
    ++tally.dwarf_same;
  }
  if (!prefix || (far && pcs.size() != kernel.size())) note_difference("libdw", kernel, pcs, tally);
}

std::string json_of(Tally t) {
  std::string differences;
  for (const std::string& d : t.differences) differences += fmt::format("{}\"{}\"", differences.empty() ? "" : ", ", d);
  return fmt::format(
      "{{\"stacks\": {}, \"complete\": {}, \"broken\": {}, \"deep\": {}, \"rows_complete\": {}, \"rows_same\": {}, "
      "\"dwarf\": {}, \"dwarf_same\": {}, \"dwarf_short\": {}, \"dwarf_short_same\": {}, "
      "\"walk_ns\": [{}, {}], \"kernel_ns\": [{}, {}], \"differences\": [{}]}}",
      t.stacks, t.complete, t.broken, t.deep, t.rows_complete, t.rows_same, t.dwarf, t.dwarf_same, t.dwarf_short,
      t.dwarf_short_same, quantile(t.walk_ns, 0.5), quantile(t.walk_ns, 0.9), quantile(t.kernel_ns, 0.5),
      quantile(t.kernel_ns, 0.9), differences);
}

}  // namespace srvprof
