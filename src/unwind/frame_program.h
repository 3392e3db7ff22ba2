// The instructions of .eh_frame (DW_CFA_*), run for one function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "unwind/eh_frame.h"

namespace srvprof {

// What functions share (a CIE).
struct CommonFrame {
  std::uint64_t code_align = 1;
  std::int64_t data_align = -8;
  std::uint8_t encoding = 0;  // of addresses
  bool signal = false;        // 'S': the frame that the kernel makes for a signal handler
  bool sized = false;         // 'z': functions' entries have sized augmentation data
  std::span<const std::uint8_t> program;
};

// A signed LEB128 number of at most ten bytes.
std::int64_t read_signed(ByteReader& reader);

class FrameProgram {
 public:
  // Rows of [begin, end) are appended to `out`.
  FrameProgram(const CommonFrame& common, std::uint64_t begin, std::uint64_t end, std::size_t max_states,
               EhFrame& out);
  // `program`: the function's own instructions. What is malformed ends it: no row is known from there on.
  void run(std::span<const std::uint8_t> program);

 private:
  enum class CfaKind : std::uint8_t { kRsp, kRbp, kDeref, kDerefSp, kPlt, kOther };
  enum class RbpKind : std::uint8_t { kSame, kSaved, kAtRbp, kLost };
  enum class ReturnKind : std::uint8_t { kSaved, kUndefined, kOther };
  struct State {
    CfaKind cfa = CfaKind::kRsp;
    RbpKind rbp = RbpKind::kSame;
    ReturnKind ret = ReturnKind::kSaved;
    std::int64_t cfa_offset = 8;  // bytes; kPlt: the byte from which on one more word is pushed
    std::int64_t rbp_offset = 0;  // bytes from the CFA
  };

  bool execute(std::span<const std::uint8_t> program, bool own);
  bool extended(std::uint8_t op, ByteReader& r, bool own);
  void set_cfa(std::uint64_t reg, std::int64_t offset);
  void set_offset(std::uint64_t reg, std::int64_t offset);
  void set_expression(std::uint64_t reg, std::span<const std::uint8_t> expression);
  void set_cfa_expression(std::span<const std::uint8_t> expression);
  void set_other(std::uint64_t reg);
  void restore(std::uint64_t reg);
  bool advance(std::uint64_t to);
  void emit();
  EhRow row() const;

  const CommonFrame& common_;
  std::uint64_t pc_, end_;
  std::size_t max_states_;
  EhFrame& out_;
  State state_, initial_;
  std::vector<State> remembered_;
  bool frame_pointer_ = false;
  bool complete_ = false;  // rows reach the end of the function
};

}  // namespace srvprof
