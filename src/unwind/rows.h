// Where a function's caller is, for every address of a module: what .eh_frame says, cut to what is
// needed to walk x86-64 stacks, in eight bytes a row.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace srvprof {

// From `pc` (distance from the module's base) on, the caller's stack pointer (the canonical frame address,
// CFA) is rsp + 8 * cfa if cfa > 0, rbp - 8 * cfa if cfa < 0, or of one of the forms below. The return
// address lies at CFA - 8; the caller's rbp at CFA + 8 * rbp, or it is unchanged where rbp is 0.
struct UnwindRow {
  std::uint32_t pc = 0;
  std::int16_t cfa = 0;
  std::int16_t rbp = 0;
  bool operator==(const UnwindRow&) const = default;
};

// Values of UnwindRow::cfa. The same numbers are in bpf/unwind.h (enum sp_row_form).
inline constexpr std::int16_t kRowNone = 0;     // nothing known from here on
inline constexpr std::int16_t kRowMax = 0x5fff; // largest distance
// kRowDerefSp + n: CFA = *(rsp + 8 * n) + 8. Hand-written cryptography keeps its caller's rsp there.
inline constexpr std::int16_t kRowDerefSp = 0x6000;
inline constexpr std::int16_t kRowDerefSpMax = 0x6fff;
// The return address is at rsp where execution stands here, else go by the frame pointer: Go, whose functions
// without a frame leave their caller's in rbp.
inline constexpr std::int16_t kRowLeaf = 0x7ffb;
// CFA = *(rbp + 8 * rbp field), the caller's rbp = *rbp: functions that align their stack.
inline constexpr std::int16_t kRowDeref = 0x7ffc;
inline constexpr std::int16_t kRowEnd = 0x7ffd;     // outermost function of a thread
inline constexpr std::int16_t kRowSignal = 0x7ffe;  // registers lie in the struct ucontext at rsp
// rsp + 8, + 8 more from byte `rbp field` of each 16 on: entries of a procedure linkage table.
inline constexpr std::int16_t kRowPlt = 0x7fff;
// Value of UnwindRow::rbp: it was saved in a way that is not held.
inline constexpr std::int16_t kRbpLost = 0x7fff;

inline constexpr unsigned kBucketShift = 10;
inline constexpr std::uint32_t kBucket = 1u << kBucketShift;

// The rows of one module. `index` has an entry for each bucket of kBucket bytes of [base, base + span), and
// one more: the last row that begins at or before the bucket's start. rows[0] has pc 0, so there is one.
struct ModuleRows {
  std::uint64_t base = 0;  // ELF virtual address of distance 0
  std::uint32_t span = 0;  // bytes of code
  std::vector<UnwindRow> rows;
  std::vector<std::uint32_t> index;
  // Code of 64 KiB and more without any row, as distances [begin, end): V8's builtins.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> bare;
  bool leaves_only = false;              // all rows are kRowLeaf or kRowNone
  std::uint32_t functions = 0;           // described in .eh_frame
  std::uint32_t frame_pointers = 0;      // of them, those that keep a frame pointer
  std::uint32_t unsupported = 0;         // rows of a form that is not held
};

inline std::size_t memory_bytes(const ModuleRows& m) {
  return m.rows.size() * sizeof(UnwindRow) + m.index.size() * sizeof(std::uint32_t);
}

}  // namespace srvprof
