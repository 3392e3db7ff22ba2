#include "unwind/walk.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

namespace srvprof {
namespace {

// Memory as words; what is not there cannot be read.
class Memory {
 public:
  std::map<std::uint64_t, std::uint64_t> words;
  ReadMemory reader() const {
    return [this](std::uint64_t address, void* to, std::size_t size) {
      const auto it = words.find(address);
      if (it == words.end() || size > 8) return false;
      std::memcpy(to, &it->second, size);
      return true;
    };
  }
};

ModuleRows module_with(std::vector<UnwindRow> rows) {
  ModuleRows m;
  m.base = 0;
  m.span = 0x10000;
  m.rows = std::move(rows);
  m.rows.insert(m.rows.begin(), UnwindRow{0, kRowNone, 0});
  return m;
}

constexpr std::uint64_t kLib = 0x7f0000000000, kJit = 0x7f1000000000, kStack = 0x7ffd00000000;

TEST(Walk, RowsThenFramePointersThenRows) {
  // 0x100: leaf without a frame; 0x200: outermost.
  const ModuleRows lib = module_with({{0x100, 3, 0}, {0x180, kRowNone, 0}, {0x200, kRowEnd, 0}, {0x280, kRowNone, 0}});
  const std::vector<CodeRange> code{{kLib, kLib + 0x10000, kLib, &lib, false}, {kJit, kJit + 0x1000, 0, nullptr, true}};
  Memory m;
  m.words[kStack + 16] = kJit + 0x20;   // return address of the leaf, CFA = sp + 24
  m.words[kStack + 8] = 0;
  m.words[kStack + 64] = kStack + 128;  // frame of the JIT function
  m.words[kStack + 72] = kJit + 0x40;
  m.words[kStack + 128] = 0;
  m.words[kStack + 136] = kLib + 0x210;
  const StackWalk w = walk_stack({kLib + 0x110, kStack, kStack + 64}, code, m.reader());
  EXPECT_EQ(w.end, WalkEnd::kComplete);
  EXPECT_EQ(w.pcs, (std::vector<std::uint64_t>{kLib + 0x110, kJit + 0x20, kJit + 0x40, kLib + 0x210}));
}

TEST(Walk, ReturnAddressBehindTheLastCallOfAFunction) {
  // The caller ends with the call: its return address belongs to what follows, and must not count as it.
  const ModuleRows lib = module_with({{0x100, 1, 0}, {0x110, 2, 0}, {0x120, kRowEnd, 0}, {0x130, kRowNone, 0}});
  const std::vector<CodeRange> code{{kLib, kLib + 0x10000, kLib, &lib, false}};
  Memory m;
  m.words[kStack] = kLib + 0x120;
  m.words[kStack + 16] = kLib + 0x125;
  const StackWalk w = walk_stack({kLib + 0x104, kStack, 0}, code, m.reader());
  EXPECT_EQ(w.pcs, (std::vector<std::uint64_t>{kLib + 0x104, kLib + 0x120, kLib + 0x125}));
  EXPECT_EQ(w.end, WalkEnd::kComplete);
}

TEST(Walk, CyclesEndAtTheLimit) {
  const std::vector<CodeRange> code{{kJit, kJit + 0x1000, 0, nullptr, true}};
  Memory m;
  m.words[kStack] = kStack;  // a frame that is its own caller
  m.words[kStack + 8] = kJit + 8;
  EXPECT_EQ(walk_stack({kJit + 0x10, kStack, kStack}, code, m.reader()).end, WalkEnd::kBroken);
  WalkOptions switches;
  switches.switches = true;
  const StackWalk w = walk_stack({kJit + 0x10, kStack, kStack}, code, m.reader(), switches);
  EXPECT_EQ(w.end, WalkEnd::kDepth);
  EXPECT_EQ(w.pcs.size(), switches.max_frames);
}

TEST(Walk, UnknownCodeIsNotBelieved) {
  Memory m;
  m.words[kStack] = 0;
  m.words[kStack + 8] = kJit;
  const StackWalk w = walk_stack({kJit + 0x10, kStack, kStack}, {}, m.reader());
  EXPECT_TRUE(w.unmapped);
  EXPECT_EQ(w.end, WalkEnd::kBroken);
}

TEST(Walk, LostFramePointerEndsWhereItIsNeeded) {
  const ModuleRows lib = module_with({{0x100, 2, kRbpLost}, {0x180, kRowNone, 0}});
  const std::vector<CodeRange> code{{kLib, kLib + 0x10000, kLib, &lib, false}, {kJit, kJit + 0x1000, 0, nullptr, true}};
  Memory m;
  m.words[kStack] = 1;
  m.words[kStack + 8] = kJit + 0x20;
  const StackWalk w = walk_stack({kLib + 0x110, kStack, kStack + 64}, code, m.reader());
  EXPECT_EQ(w.end, WalkEnd::kBroken);
  EXPECT_EQ(w.pcs.size(), 2u);
}

TEST(Walk, LeavesOfGoHaveNoFrame) {
  ModuleRows go = module_with({{0x100, kRowLeaf, 0}, {0x180, kRowNone, 0}});
  go.leaves_only = true;
  const std::vector<CodeRange> code{{kLib, kLib + 0x10000, kLib, &go, false}};
  Memory m;
  m.words[kStack] = kLib + 0x200;      // return address of the leaf
  m.words[kStack + 64] = 0;            // its caller's frame
  m.words[kStack + 72] = kLib + 0x110; // a return address into code without a frame: by frame pointer
  const StackWalk w = walk_stack({kLib + 0x120, kStack, kStack + 64}, code, m.reader());
  EXPECT_EQ(w.pcs, (std::vector<std::uint64_t>{kLib + 0x120, kLib + 0x200, kLib + 0x110}));
  EXPECT_EQ(w.end, WalkEnd::kComplete);
}

// A leaf of code without rows, before its frame is made: push rbp; mov rbp, rsp; and at its ret.
TEST(Walk, EdgesOfFunctionsWithoutRows) {
  const std::vector<CodeRange> code{{kJit, kJit + 0x1000, 0, nullptr, true}};
  Memory m;
  m.words[kJit] = 0x55;
  m.words[kJit + 8] = 0xe58948;
  m.words[kJit + 16] = 0xc3;
  m.words[kStack] = kJit + 0x100;
  m.words[kStack + 8] = kJit + 0x200;
  m.words[kStack + 64] = 0;
  m.words[kStack + 72] = kJit + 0x300;
  for (const std::uint64_t at : {kJit, kJit + 16}) {
    const StackWalk w = walk_stack({at, kStack, kStack + 64}, code, m.reader());
    EXPECT_EQ(w.pcs, (std::vector<std::uint64_t>{at, kJit + 0x100, kJit + 0x300}));
  }
  m.words[kStack] = kStack + 64;
  const StackWalk w = walk_stack({kJit + 8, kStack, 0}, code, m.reader());
  EXPECT_EQ(w.pcs, (std::vector<std::uint64_t>{kJit + 8, kJit + 0x200, kJit + 0x300}));
}

}  // namespace
}  // namespace srvprof
