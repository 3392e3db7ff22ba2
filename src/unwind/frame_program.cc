#include "unwind/frame_program.h"

#include <algorithm>

namespace srvprof {
namespace {

constexpr std::uint64_t kRbp = 6, kRsp = 7, kReturn = 16;  // DWARF numbers of x86-64

// Operators of expressions (DW_OP_*).
constexpr std::uint8_t kDerefOp = 0x06, kPlusConst = 0x23, kBreg6 = 0x76, kBreg7 = 0x77, kLit0 = 0x30;

// Distances are held in words.
bool fits(std::int64_t bytes, std::int64_t max_words) {
  return bytes % 8 == 0 && bytes / 8 <= max_words && bytes / 8 >= -max_words;
}

std::int16_t words(std::int64_t bytes) { return static_cast<std::int16_t>(bytes / 8); }

}  // namespace

std::int64_t read_signed(ByteReader& reader) {
  std::uint64_t v = 0;
  unsigned shift = 0;
  std::uint8_t b = 0x80;
  while ((b & 0x80) != 0 && shift < 7 * kMaxVarintBytes) {
    b = reader.u8();
    if (shift < 64) v |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    shift += 7;
  }
  if ((b & 0x40) != 0 && shift < 64) v |= ~std::uint64_t{0} << shift;
  return static_cast<std::int64_t>(v);
}

FrameProgram::FrameProgram(const CommonFrame& common, std::uint64_t begin, std::uint64_t end,
                           std::size_t max_states, EhFrame& out)
    : common_(common), pc_(begin), end_(end), max_states_(max_states), out_(out) {}

EhRow FrameProgram::row() const {
  EhRow r{pc_, kRowNone, 0, false};
  if (common_.signal) return r.cfa = kRowSignal, r;
  if (state_.ret == ReturnKind::kUndefined) return r.cfa = kRowEnd, r;
  if (state_.ret != ReturnKind::kSaved) return r;
  std::int16_t cfa = kRowNone;
  switch (state_.cfa) {
    case CfaKind::kRsp:
      if (state_.cfa_offset > 0 && fits(state_.cfa_offset, kRowMax)) cfa = words(state_.cfa_offset);
      break;
    case CfaKind::kRbp:
      if (state_.cfa_offset > 0 && fits(state_.cfa_offset, kRowMax)) cfa = words(-state_.cfa_offset);
      break;
    case CfaKind::kDerefSp:
      if (state_.cfa_offset >= 0 && fits(state_.cfa_offset, kRowDerefSpMax - kRowDerefSp)) {
        cfa = static_cast<std::int16_t>(kRowDerefSp + words(state_.cfa_offset));
      }
      break;
    case CfaKind::kDeref:
      if (!fits(state_.cfa_offset, kRowMax) || state_.rbp != RbpKind::kAtRbp) return r;
      r.cfa = kRowDeref;
      r.rbp = words(state_.cfa_offset);
      return r;
    case CfaKind::kPlt:
      r.cfa = kRowPlt;
      r.rbp = static_cast<std::int16_t>(state_.cfa_offset);
      return r;
    case CfaKind::kOther: break;
  }
  if (cfa == kRowNone) return r;
  r.cfa = cfa;
  if (state_.rbp == RbpKind::kSaved && fits(state_.rbp_offset, kRowMax)) {
    r.rbp = words(state_.rbp_offset);
  } else if (state_.rbp != RbpKind::kSame) {
    r.rbp = kRbpLost;
  }
  return r;
}

void FrameProgram::emit() {
  const EhRow r = row();
  if (r.cfa == kRowNone) ++out_.unsupported;
  frame_pointer_ |= state_.cfa == CfaKind::kRbp;
  out_.rows.push_back(r);
}

void FrameProgram::run(std::span<const std::uint8_t> program) {
  ++out_.functions;
  bool good = execute(common_.program, false);
  if (good) {
    initial_ = state_;
    good = execute(program, true);
  }
  if (good) {
    emit();
  } else if (!complete_) {
    out_.rows.push_back({pc_, kRowNone, 0, false});
  }
  out_.rows.push_back({end_, kRowNone, 0, true});
  if (frame_pointer_) ++out_.frame_pointers;
}

// False: backwards, or at the function's end, where everything is said.
bool FrameProgram::advance(std::uint64_t to) {
  if (to < pc_) return false;
  if (to == pc_) return true;
  emit();
  complete_ = to >= end_;
  pc_ = to;
  return !complete_;
}

void FrameProgram::set_cfa(std::uint64_t reg, std::int64_t offset) {
  state_.cfa = reg == kRsp ? CfaKind::kRsp : reg == kRbp ? CfaKind::kRbp : CfaKind::kOther;
  state_.cfa_offset = offset;
}

void FrameProgram::set_offset(std::uint64_t reg, std::int64_t offset) {
  if (reg == kRbp) {
    state_.rbp = offset == 0 ? RbpKind::kLost : RbpKind::kSaved;
    state_.rbp_offset = offset;
  } else if (reg == kReturn) {
    state_.ret = offset == -8 ? ReturnKind::kSaved : ReturnKind::kOther;
  }
}

void FrameProgram::set_other(std::uint64_t reg) {
  if (reg == kRbp) state_.rbp = RbpKind::kLost;
  if (reg == kReturn) state_.ret = ReturnKind::kOther;
}

void FrameProgram::restore(std::uint64_t reg) {
  if (reg == kRbp) {
    state_.rbp = initial_.rbp;
    state_.rbp_offset = initial_.rbp_offset;
  }
  if (reg == kReturn) state_.ret = initial_.ret;
}

// Saved where an expression says: only "at rbp itself" is held, as functions that align their stack do.
void FrameProgram::set_expression(std::uint64_t reg, std::span<const std::uint8_t> expression) {
  set_other(reg);
  if (reg != kRbp) return;
  ByteReader r(expression);
  if (r.u8() == kBreg6 && read_signed(r) == 0 && r.ok() && r.left() == 0) state_.rbp = RbpKind::kAtRbp;
}

void FrameProgram::set_cfa_expression(std::span<const std::uint8_t> expression) {
  state_.cfa = CfaKind::kOther;
  ByteReader r(expression);
  const std::uint8_t first = r.u8();
  if (first != kBreg6 && first != kBreg7) return;
  const std::int64_t offset = read_signed(r);
  const auto rest = r.bytes(r.left());
  if (first == kBreg6 && rest.size() == 1 && rest[0] == kDerefOp) {
    state_.cfa = CfaKind::kDeref;
    state_.cfa_offset = offset;
  } else if (first == kBreg7 && rest.size() == 3 && rest[0] == kDerefOp && rest[1] == kPlusConst &&
             rest[2] == 8) {
    state_.cfa = CfaKind::kDerefSp;
    state_.cfa_offset = offset;
  } else if (first == kBreg7 && offset == 8) {
    // What linkers write for a procedure linkage table: rsp + 8 + ((rip & 15) >= n) << 3.
    static constexpr std::uint8_t kBefore[] = {0x80, 0x00, 0x3f, 0x1a};
    static constexpr std::uint8_t kAfter[] = {0x2a, 0x33, 0x24, 0x22};
    if (rest.size() != 9 || !std::equal(kBefore, kBefore + 4, rest.begin()) ||
        !std::equal(kAfter, kAfter + 4, rest.begin() + 5) || rest[4] < kLit0 || rest[4] > kLit0 + 15) {
      return;
    }
    state_.cfa = CfaKind::kPlt;
    state_.cfa_offset = rest[4] - kLit0;
  }
}

// Instructions that are not in the two high bits of their first byte; false: unknown or malformed.
bool FrameProgram::extended(std::uint8_t op, ByteReader& r, bool own) {
  const auto factored = [&](std::int64_t n) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(common_.data_align));
  };
  const auto negated = [](std::int64_t n) { return static_cast<std::int64_t>(-static_cast<std::uint64_t>(n)); };
  const auto plain = [&] { return static_cast<std::int64_t>(r.varint()); };
  const auto ahead = [&](std::uint64_t delta) { return !own || advance(pc_ + delta * common_.code_align); };
  std::uint64_t reg = 0;
  switch (op) {
    case 0x00: return true;                              // nop
    case 0x02: return ahead(r.u8());                     // advance_loc1
    case 0x03: return ahead(r.le<std::uint16_t>());      // advance_loc2
    case 0x04: return ahead(r.le<std::uint32_t>());      // advance_loc4
    case 0x05: reg = r.varint(); set_offset(reg, factored(plain())); return true;  // offset_extended
    case 0x06: restore(r.varint()); return true;         // restore_extended
    case 0x07:                                           // undefined
      reg = r.varint();
      set_other(reg);
      if (reg == kReturn) state_.ret = ReturnKind::kUndefined;
      return true;
    case 0x08:  // same_value
      reg = r.varint();
      set_other(reg);
      if (reg == kRbp) state_.rbp = RbpKind::kSame;
      return true;
    case 0x09: set_other(r.varint()); r.varint(); return true;  // register
    case 0x0a:                                                  // remember_state
      if (remembered_.size() >= max_states_) return false;
      remembered_.push_back(state_);
      return true;
    case 0x0b:  // restore_state
      if (remembered_.empty()) return false;
      state_ = remembered_.back();
      remembered_.pop_back();
      return true;
    case 0x0c: reg = r.varint(); set_cfa(reg, plain()); return true;            // def_cfa
    case 0x0d: set_cfa(r.varint(), state_.cfa_offset); return true;             // def_cfa_register
    case 0x0e: state_.cfa_offset = plain(); return true;                        // def_cfa_offset
    case 0x0f: set_cfa_expression(r.bytes(r.varint())); return true;            // def_cfa_expression
    case 0x10: reg = r.varint(); set_expression(reg, r.bytes(r.varint())); return true;  // expression
    case 0x11: reg = r.varint(); set_offset(reg, factored(read_signed(r))); return true;  // offset_extended_sf
    case 0x12: reg = r.varint(); set_cfa(reg, factored(read_signed(r))); return true;     // def_cfa_sf
    case 0x13: state_.cfa_offset = factored(read_signed(r)); return true;       // def_cfa_offset_sf
    case 0x14: case 0x15: set_other(r.varint()); r.varint(); return true;       // val_offset, val_offset_sf
    case 0x16: set_other(r.varint()); r.bytes(r.varint()); return true;         // val_expression
    case 0x2e: r.varint(); return true;                                         // GNU_args_size
    case 0x2f: reg = r.varint(); set_offset(reg, negated(factored(plain()))); return true;  // GNU_negative_offset
    default: return false;  // 0x01 set_loc among them: no compiler writes it for x86-64
  }
}

bool FrameProgram::execute(std::span<const std::uint8_t> program, bool own) {
  ByteReader r(program);
  while (r.left() != 0) {
    const std::uint8_t op = r.u8();
    const std::uint8_t low = op & 0x3f;
    bool good = true;
    switch (op >> 6) {
      case 1: good = !own || advance(pc_ + low * common_.code_align); break;
      case 2: {
        const std::uint64_t n = r.varint();
        set_offset(low, static_cast<std::int64_t>(n * static_cast<std::uint64_t>(common_.data_align)));
        break;
      }
      case 3: restore(low); break;
      default: good = extended(op, r, own);
    }
    if (!good || !r.ok()) return false;
  }
  return true;
}

}  // namespace srvprof
