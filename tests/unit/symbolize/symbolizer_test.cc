// The symbolizer on this test's own process.
#include "symbolize/symbolizer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <thread>

#include "target/memory.h"
#include "target/open.h"

namespace srvprof {

// Not in the unnamed namespace: the symbol shall be exported under this name.
__attribute__((noinline)) int symbolizer_test_probe(int x) { return x * 7; }

namespace {

__attribute__((noinline)) int local_probe(int x) { return symbolizer_test_probe(x) + 1; }

template <class F>
std::uint64_t address(F* function) {
  return reinterpret_cast<std::uint64_t>(function);
}

Symbolizer open_self() {
  auto symbolizer = Symbolizer::open(ProcFs{}, ::getpid());
  EXPECT_TRUE(symbolizer.ok()) << symbolizer.error().what;
  return std::move(*symbolizer);
}

// Executable pages of ours, unmapped at the end.
struct Pages {
  explicit Pages(int fd = -1, off_t offset = 0, std::size_t length = 4096) : size(length) {
    const int flags = MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0);
    start = ::mmap(nullptr, size, PROT_READ | PROT_EXEC, flags, fd, offset);
    EXPECT_NE(start, MAP_FAILED);
  }
  ~Pages() { ::munmap(start, size); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::uint64_t at(std::uint64_t offset) const {
    return reinterpret_cast<std::uint64_t>(start) + offset;
  }

  std::size_t size;
  void* start = nullptr;
};

TEST(Symbolizer, OwnFunctionsAndLibraries) {
  Symbolizer symbolizer = open_self();
  ASSERT_EQ(local_probe(1), 8);
  const auto exported = symbolizer.resolve(address(&symbolizer_test_probe) + 1, false);
  ASSERT_EQ(exported.size(), 1u);
  EXPECT_EQ(exported[0].function, "srvprof::symbolizer_test_probe(int)");
  EXPECT_EQ(exported[0].source, "elf");
  EXPECT_NE(exported[0].module.find("symbolize_test"), std::string::npos);
  const auto local = symbolizer.resolve(address(&local_probe), false);
  EXPECT_EQ(local[0].function, "srvprof::(anonymous namespace)::local_probe(int)");
  const auto libc = symbolizer.resolve(address(&::getppid), false);
  EXPECT_NE(libc[0].function.find("getppid"), std::string::npos) << libc[0].function;
}

TEST(Symbolizer, TheSameCodeMappedTwice) {
  Symbolizer symbolizer = open_self();
  const std::uint64_t pc = address(&symbolizer_test_probe);
  const MemoryMapping* mapping = find_mapping(symbolizer.mappings(), pc);
  ASSERT_NE(mapping, nullptr);
  const MemoryMapping code = *mapping;
  EXPECT_EQ(symbolizer.build_id(code).size(), 40u);
  const Fd exe(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  // The second mapping begins one page before the function's, as V8 does with its builtins.
  const std::uint64_t offset = (file_offset(code, pc) & ~std::uint64_t{4095}) - 4096;
  const Pages second(exe.get(), static_cast<off_t>(offset), 8192 * 2);
  ASSERT_TRUE(symbolizer.refresh_mappings().ok());
  const auto frames = symbolizer.resolve(second.at(file_offset(code, pc) - offset), false);
  EXPECT_EQ(frames[0].function, "srvprof::symbolizer_test_probe(int)");
  EXPECT_EQ(frames[0].module_offset, symbolizer.resolve(pc, false)[0].module_offset);
}

TEST(Symbolizer, VdsoFunctions) {
  Symbolizer symbolizer = open_self();
  const auto maps = symbolizer.mappings();
  const auto vdso = std::find_if(maps.begin(), maps.end(), [](const MemoryMapping& m) {
    return m.kind == MappingKind::kVdso;
  });
  if (vdso == maps.end()) GTEST_SKIP() << "this kernel maps no vdso";
  auto bytes = read_memory(::getpid(), vdso->start, vdso->end - vdso->start);
  ASSERT_TRUE(bytes.ok()) << bytes.error().what;
  const auto elf = open_elf_image(std::move(*bytes));
  ASSERT_TRUE(elf.ok()) << elf.error().what;
  const auto table = read_symbols(*elf);
  ASSERT_TRUE(table.ok());
  ASSERT_FALSE(table->symbols.empty());
  bool clock_seen = false;
  for (const auto& symbol : table->symbols) {
    const auto frames = symbolizer.resolve(vdso->start + symbol.vaddr, false);
    EXPECT_EQ(frames[0].function, symbol_name(*table, symbol));
    EXPECT_EQ(frames[0].module, "[vdso]");
    clock_seen = clock_seen || frames[0].function.find("clock_gettime") != std::string::npos;
  }
  EXPECT_TRUE(clock_seen);
}

TEST(Symbolizer, UnknownAddresses) {
  Symbolizer symbolizer = open_self();
  const auto nowhere = symbolizer.resolve(0x10, false);
  ASSERT_EQ(nowhere.size(), 1u);
  EXPECT_EQ(nowhere[0].module, "[unknown]");
  EXPECT_EQ(nowhere[0].module_offset, 0x10u);
  EXPECT_EQ(nowhere[0].source, "module");
  const Pages pages;
  ASSERT_TRUE(symbolizer.refresh_mappings().ok());
  const auto anonymous = symbolizer.resolve(pages.at(5), false);
  EXPECT_EQ(anonymous[0].function, "");
  EXPECT_EQ(anonymous[0].module, "[anon]");
}

TEST(Symbolizer, NewMappingsAreFoundByThemselves) {
  Symbolizer symbolizer = open_self();
  const Pages pages;
  // Re-reading is limited by time, so the answer comes after a while.
  std::string module;
  for (int i = 0; i < 200 && module != "[anon]"; ++i) {
    module = symbolizer.resolve(pages.at(0), false)[0].module;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(module, "[anon]");
}

TEST(Symbolizer, PerfMapOfJitCode) {
  Symbolizer symbolizer = open_self();
  const Pages pages;
  const std::string path = fmt::format("/tmp/perf-{}.map", ::getpid());
  std::ofstream(path) << fmt::format("{:x} 100 JS:handle /app/a.js:3\n", pages.at(0x10));
  ASSERT_TRUE(symbolizer.refresh_mappings().ok());
  const auto jit = symbolizer.resolve(pages.at(0x20), false);
  const auto native = symbolizer.resolve(address(&local_probe), false);
  ::unlink(path.c_str());
  EXPECT_EQ(jit[0].function, "JS:handle /app/a.js:3");
  EXPECT_EQ(jit[0].source, "perf-map");
  EXPECT_EQ(jit[0].module, "[jit]");
  EXPECT_EQ(native[0].source, "elf");
}

TEST(Symbolizer, KernelSymbolsOrTheReason) {
  Symbolizer symbolizer = open_self();
  const auto kernel = open_kallsyms(ProcFs{});
  ASSERT_TRUE(kernel.ok());
  const auto frames = symbolizer.resolve(0xffffffff81000000, true);
  ASSERT_EQ(frames.size(), 1u);
  if (frames[0].source == "kallsyms") {
    EXPECT_FALSE(frames[0].function.empty());
  } else {
    EXPECT_EQ(frames[0].module, "[kernel]");
    EXPECT_FALSE(symbolizer.notes().empty());
  }
}

TEST(Symbolizer, NoSuchProcess) {
  const auto symbolizer = Symbolizer::open(ProcFs{}, 0x3fffffff);
  ASSERT_FALSE(symbolizer.ok());
  EXPECT_EQ(symbolizer.error().kind, ErrorKind::kNoTarget);
}

TEST(SymbolSources, HaveNamesAndDescriptions) {
  for (const auto& entry : symbol_sources()) {
    EXPECT_FALSE(entry.name.empty());
    EXPECT_FALSE(entry.what.empty());
    EXPECT_EQ(std::count_if(symbol_sources().begin(), symbol_sources().end(),
                            [&](const auto& other) { return other.name == entry.name; }),
              1);
  }
}

}  // namespace
}  // namespace srvprof
