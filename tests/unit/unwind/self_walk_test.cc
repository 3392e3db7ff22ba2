// This very process, walked by the rows of its own files, against the walk of the compiler's runtime
// library (backtrace()). Built without frame pointers.
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "target/open.h"
#include "unwind/modules.h"
#include "unwind/walk.h"

#if defined(__x86_64__)

namespace srvprof {
namespace {

struct Both {
  StackWalk ours;
  std::vector<std::uint64_t> theirs;
};

struct Self {
  Self() : modules(ProcFs{}, 1u << 21) {
    maps = read_maps(ProcFs{}, ::getpid()).value();
    root = open_root(ProcFs{}, ::getpid()).value();
    code = map_code(maps, [&](const MemoryMapping& m) -> MappedCode {
      const CodeModule* module = modules.find(::getpid(), root, m);
      if (module == nullptr) return {};
      return {&module->elf, module->rows.rows.empty() ? nullptr : &module->rows, false};
    });
  }

  CodeModules modules;
  std::vector<MemoryMapping> maps;
  Fd root;
  std::vector<CodeRange> code;
};

[[gnu::noinline]] void walk_here(const Self& self, Both& out) {
  WalkRegisters r;
  asm volatile("lea 0(%%rip), %0\n mov %%rsp, %1\n mov %%rbp, %2" : "=r"(r.pc), "=r"(r.sp), "=r"(r.bp));
  const ReadMemory read = [&](std::uint64_t address, void* to, std::size_t size) {
    const MemoryMapping* m = find_mapping(self.maps, address);
    if (m == nullptr || !m->read || address + size > m->end) return false;
    std::memcpy(to, reinterpret_cast<const void*>(address), size);
    return true;
  };
  out.ours = walk_stack(r, self.code, read);
  void* theirs[128];
  const int n = ::backtrace(theirs, 128);
  for (int i = 0; i < n; ++i) out.theirs.push_back(reinterpret_cast<std::uint64_t>(theirs[i]));
}

[[gnu::noinline]] int deeper(const Self& self, Both& out, int depth) {
  volatile char room[200];  // frames of different sizes
  room[0] = static_cast<char>(depth);
  if (depth == 0) {
    walk_here(self, out);
  } else {
    deeper(self, out, depth - 1);
  }
  return room[0];
}

void expect_same(const Both& b) {
  EXPECT_EQ(b.ours.end, WalkEnd::kComplete);
  EXPECT_FALSE(b.ours.unmapped);
  ASSERT_EQ(b.ours.pcs.size(), b.theirs.size());
  // The first lies in walk_here, at the asm and at the call of backtrace().
  EXPECT_TRUE(std::equal(b.ours.pcs.begin() + 1, b.ours.pcs.end(), b.theirs.begin() + 1));
}

TEST(SelfWalk, MainThread) {
  const Self self;
  Both b;
  deeper(self, b, 20);
  EXPECT_GT(b.ours.pcs.size(), 25u);
  expect_same(b);
}

TEST(SelfWalk, OtherThread) {
  Both b;
  std::thread([&] {
    const Self self;
    deeper(self, b, 3);
  }).join();
  expect_same(b);
}

// Through the C library's own frames: a comparison function called by qsort.
const Self* sorting_self;
Both* sorting_out;

TEST(SelfWalk, CalledByTheLibrary) {
  const Self self;
  Both b;
  sorting_self = &self;
  sorting_out = &b;
  int numbers[2] = {2, 1};
  ::qsort(numbers, 2, sizeof numbers[0], [](const void* x, const void* y) {
    if (sorting_out->theirs.empty()) walk_here(*sorting_self, *sorting_out);
    return *static_cast<const int*>(x) - *static_cast<const int*>(y);
  });
  expect_same(b);
}

TEST(SelfWalk, InsideASignalHandler) {
  static const Self* self;
  static Both* out;
  const Self s;
  Both b;
  self = &s;
  out = &b;
  struct sigaction action {}, before {};
  action.sa_handler = [](int) { walk_here(*self, *out); };
  ASSERT_EQ(::sigaction(SIGUSR2, &action, &before), 0);
  ::raise(SIGUSR2);
  ::sigaction(SIGUSR2, &before, nullptr);
  expect_same(b);
}

TEST(SelfWalk, BrokenWhereTheStackEnds) {
  const Self self;
  const ReadMemory nothing = [](std::uint64_t, void*, std::size_t) { return false; };
  const StackWalk w = walk_stack({reinterpret_cast<std::uint64_t>(&::qsort) + 4, 0x7ffc0000, 0x7ffc0010}, self.code,
                                 nothing);
  EXPECT_EQ(w.end, WalkEnd::kBroken);
  EXPECT_EQ(w.pcs.size(), 1u);
}

}  // namespace
}  // namespace srvprof

#endif
