#include "unwind/walk.h"

#include <algorithm>

#include "unwind/eh_frame.h"

namespace srvprof {
namespace {

// struct ucontext at a signal's return: its general registers begin at 40.
constexpr std::uint64_t kSavedBp = 40 + 10 * 8, kSavedSp = 40 + 15 * 8, kSavedPc = 40 + 16 * 8;

bool can_be_code(std::uint64_t pc) { return pc >= 4096 && pc < std::uint64_t{1} << 47; }

class Walker {
 public:
  Walker(const WalkRegisters& registers, std::span<const CodeRange> code, const ReadMemory& read,
         const WalkOptions& options)
      : at_(registers), code_(code), read_(read), options_(options) {}

  StackWalk walk();

 private:
  enum class Step { kOn, kEnd, kBroken };

  bool word(std::uint64_t address, std::uint64_t& to) const { return read_(address, &to, sizeof to); }
  const CodeRange* range_of(std::uint64_t pc) const;
  Step step();
  Step by_row(const UnwindRow& row, std::uint64_t distance);
  Step by_signal();
  bool frame_address(const UnwindRow& row, std::uint64_t distance, std::uint64_t& cfa) const;
  Step by_frame(bool leaf);
  bool by_edge(bool leaf);

  WalkRegisters at_;
  std::span<const CodeRange> code_;
  const ReadMemory& read_;
  WalkOptions options_;
  bool exact_ = true;  // pc is where execution stands, not a return address
  StackWalk out_;
};

const CodeRange* Walker::range_of(std::uint64_t pc) const {
  auto it = std::upper_bound(code_.begin(), code_.end(), pc,
                             [](std::uint64_t p, const CodeRange& r) { return p < r.start; });
  if (it == code_.begin()) return nullptr;
  --it;
  return pc < it->end ? &*it : nullptr;
}

Walker::Step Walker::by_signal() {
  WalkRegisters saved;
  if (!word(at_.sp + kSavedPc, saved.pc) || !word(at_.sp + kSavedSp, saved.sp) ||
      !word(at_.sp + kSavedBp, saved.bp)) {
    return Step::kBroken;
  }
  at_ = saved;
  exact_ = true;
  return Step::kOn;
}

bool Walker::frame_address(const UnwindRow& row, std::uint64_t distance, std::uint64_t& cfa) const {
  const auto words = [](std::int64_t n) { return static_cast<std::uint64_t>(n * 8); };
  if (row.cfa == kRowPlt) {
    cfa = at_.sp + 8 + (static_cast<std::int64_t>(distance & 15) >= row.rbp ? 8 : 0);
  } else if (row.cfa == kRowDeref) {
    return word(at_.bp + words(row.rbp), cfa);
  } else if (row.cfa >= kRowDerefSp) {
    if (!word(at_.sp + words(row.cfa - kRowDerefSp), cfa)) return false;
    cfa += 8;
  } else {
    cfa = row.cfa > 0 ? at_.sp + words(row.cfa) : at_.bp + words(-row.cfa);
  }
  return true;
}

Walker::Step Walker::by_row(const UnwindRow& row, std::uint64_t distance) {
  if (row.cfa == kRowEnd) return Step::kEnd;
  if (row.cfa == kRowSignal) return by_signal();
  exact_ = false;
  std::uint64_t cfa = 0;
  WalkRegisters caller = at_;
  if (!frame_address(row, distance, cfa) || !word(cfa - 8, caller.pc)) return Step::kBroken;
  if (cfa <= at_.sp && !options_.switches) return Step::kBroken;
  caller.sp = cfa;
  if (row.cfa == kRowDeref) {
    if (!word(at_.bp, caller.bp)) return Step::kBroken;
  } else if (row.cfa != kRowPlt && row.rbp == kRbpLost) {
    caller.bp = 1;  // no frame can be there
  } else if (row.cfa != kRowPlt && row.rbp != 0) {
    if (!word(cfa + static_cast<std::uint64_t>(std::int64_t{row.rbp} * 8), caller.bp)) return Step::kBroken;
  }
  at_ = caller;
  return Step::kOn;
}

// No frame, or before it is made (push rbp; mov rbp, rsp), or after it was given up (ret).
bool Walker::by_edge(bool leaf) {
  std::uint32_t code = 0;
  if (!leaf && !read_(at_.pc, &code, sizeof code)) return false;
  const bool nothing_pushed =
      leaf || (code & 0xff) == 0x55 || (code & 0xff) == 0xc3 || code == 0xfa1e0ff3;
  const bool rbp_pushed = (code & 0xffffff) == 0xe58948 || (code & 0xffffff) == 0xec8b48;
  WalkRegisters caller = at_;
  if (nothing_pushed && word(at_.sp, caller.pc)) {
    caller.sp = at_.sp + 8;
  } else if (rbp_pushed && word(at_.sp, caller.bp) && word(at_.sp + 8, caller.pc)) {
    caller.sp = at_.sp + 16;
  } else {
    return false;
  }
  at_ = caller;
  return true;
}

Walker::Step Walker::by_frame(bool leaf) {
  const bool exact = exact_;
  exact_ = false;
  if (exact && by_edge(leaf)) return Step::kOn;
  if (at_.bp == 0) return Step::kEnd;
  if (at_.bp % 8 != 0 || (at_.bp < at_.sp && !options_.switches)) return Step::kBroken;
  WalkRegisters caller;
  if (!word(at_.bp, caller.bp) || !word(at_.bp + 8, caller.pc)) return Step::kBroken;
  caller.sp = at_.bp + 16;
  at_ = caller;
  return Step::kOn;
}

Walker::Step Walker::step() {
  // A call may be the last instruction of its function: look at it, not at what follows.
  const std::uint64_t look = at_.pc - (exact_ ? 0 : 1);
  const CodeRange* range = range_of(look);
  if (range == nullptr) out_.unmapped = true;
  const UnwindRow* row =
      range != nullptr && range->rows != nullptr ? find_row(*range->rows, look - range->bias) : nullptr;
  const bool leaf = row != nullptr && row->cfa == kRowLeaf;
  const Step step = row != nullptr && !leaf ? by_row(*row, look - range->bias) : by_frame(leaf);
  if (step != Step::kOn) return step;
  if (at_.pc == 0) return Step::kEnd;
  return can_be_code(at_.pc) ? Step::kOn : Step::kBroken;
}

StackWalk Walker::walk() {
  if (!can_be_code(at_.pc)) return out_;
  out_.end = WalkEnd::kDepth;
  while (out_.pcs.size() < options_.max_frames) {
    out_.pcs.push_back(at_.pc);
    const Step result = step();
    if (result == Step::kOn) continue;
    out_.end = result == Step::kEnd ? WalkEnd::kComplete : WalkEnd::kBroken;
    break;
  }
  if (out_.unmapped && out_.end == WalkEnd::kComplete) out_.end = WalkEnd::kBroken;
  return out_;
}

}  // namespace

StackWalk walk_stack(const WalkRegisters& registers, std::span<const CodeRange> code,
                     const ReadMemory& read, const WalkOptions& options) {
  return Walker(registers, code, read, options).walk();
}

}  // namespace srvprof
