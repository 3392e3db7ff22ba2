// The symbolizer on other processes: one that ends, one in a root of its own, one with hostile
// files.
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>

#include "fake_tree.h"
#include "symbolize/symbolizer.h"

namespace srvprof {
namespace {

namespace filesystem = std::filesystem;

// Symbols of the sample, by name.
std::uint64_t sample_address(std::string_view name) {
  const auto elf = open_elf(ELF_SAMPLE);
  const auto table = elf.ok() ? read_symbols(*elf) : Result<SymbolTable>(SymbolTable{});
  if (!table.ok()) return 0;
  for (const auto& symbol : table->symbols) {
    if (symbol_name(*table, symbol) == name) return symbol.vaddr;
  }
  return 0;
}

// A process 10 whose root is "<tree>/root" and which maps /app/server, copied from `file`, at
// kBase.
class FakeTarget : public testing::Test {
 protected:
  static constexpr std::uint64_t kBase = 0x560000000000;

  void install(const std::string& file) {
    filesystem::create_directories(tree_.path() + "/root/app");
    filesystem::copy_file(file, server(), filesystem::copy_options::overwrite_existing);
    struct stat st {};
    ASSERT_EQ(::stat(server().c_str(), &st), 0);
    const auto elf = open_elf(file);
    ASSERT_TRUE(elf.ok());
    std::string maps;
    for (const auto& s : elf->segments) {
      const std::uint64_t begin = s.vaddr & ~std::uint64_t{4095};
      maps += fmt::format("{:x}-{:x} {} {:08x} 00:1f {} /app/server\n", kBase + begin,
                          (kBase + s.vaddr + s.memory_size + 4095) & ~std::uint64_t{4095},
                          s.exec ? "r-xp" : "r--p", s.offset & ~std::uint64_t{4095}, st.st_ino);
    }
    maps += "7f0000000000-7f0000001000 r-xp 00000000 00:00 0 \n";
    tree_.add({.pid = 10, .ns_pids = {10, 3}});
    tree_.write("proc/10/status",
                fmt::format("Tgid:\t10\nUid:\t0\t{}\t0\t0\nNSpid:\t10\t3\n", ::geteuid()));
    tree_.write("proc/10/maps", maps);
    if (!filesystem::exists(filesystem::symlink_status(tree_.path() + "/proc/10/root"))) {
      tree_.link("proc/10/root", tree_.path() + "/root");
    }
  }

  std::string server() const { return tree_.path() + "/root/app/server"; }

  ResolvedFrame resolve(std::uint64_t pc, bool kernel = false) {
    auto symbolizer = Symbolizer::open(tree_.fs(), 10);
    EXPECT_TRUE(symbolizer.ok());
    if (!symbolizer.ok()) return {};
    ResolvedFrame frame = symbolizer->resolve(pc, kernel)[0];
    notes_ = fmt::format("{}", fmt::join(symbolizer->notes(), "\n"));
    return frame;
  }

  FakeTree tree_;
  std::string notes_;
};

TEST_F(FakeTarget, InARootOfItsOwn) {
  install(ELF_SAMPLE);
  const auto frame = resolve(kBase + sample_address("sample_local") + 2);
  EXPECT_EQ(frame.function, "sample_local");
  EXPECT_EQ(frame.module, "/app/server");
  EXPECT_EQ(frame.module_offset, sample_address("sample_local") + 2);
  EXPECT_EQ(notes_, "");
}

TEST_F(FakeTarget, StrippedWithoutDebugFile) {
  install(ELF_STRIPPED);
  EXPECT_EQ(resolve(kBase + sample_address("sample_global")).function, "sample_global");
  const auto local = resolve(kBase + sample_address("sample_local"));
  EXPECT_EQ(local.function, "");
  EXPECT_EQ(local.source, "module");
  EXPECT_EQ(local.module, "/app/server");
  EXPECT_EQ(local.module_offset, sample_address("sample_local"));
}

TEST_F(FakeTarget, DebugFileByBuildIdAndByLink) {
  install(ELF_STRIPPED);
  const auto elf = open_elf(ELF_STRIPPED);
  ASSERT_TRUE(elf.ok());
  const std::string root = tree_.path() + "/root";
  const std::string by_id = root + "/usr/lib/debug/.build-id/" + elf->build_id.substr(0, 2);
  filesystem::create_directories(by_id);
  filesystem::copy_file(ELF_DEBUG, by_id + "/" + elf->build_id.substr(2) + ".debug");
  EXPECT_EQ(resolve(kBase + sample_address("sample_local")).function, "sample_local");
  filesystem::remove_all(by_id);
  EXPECT_EQ(resolve(kBase + sample_address("sample_local")).function, "");
  filesystem::create_directories(root + "/app/.debug");
  filesystem::copy_file(ELF_DEBUG, root + "/app/.debug/elf_sample.debug");
  EXPECT_EQ(resolve(kBase + sample_address("sample_local")).function, "sample_local");
}

TEST_F(FakeTarget, AReplacedFileGivesNoWrongNames) {
  install(ELF_SAMPLE);
  filesystem::copy_file(ELF_SAMPLE, server() + ".new");
  filesystem::rename(server() + ".new", server());
  const auto frame = resolve(kBase + sample_address("sample_local"));
  EXPECT_EQ(frame.function, "");
  EXPECT_NE(notes_.find("replaced"), std::string::npos) << notes_;
}

TEST_F(FakeTarget, PerfMapOfTheInnerPidWithoutLinks) {
  install(ELF_SAMPLE);
  tree_.write("root/tmp/other", "7f0000000000 100 secret\n");
  tree_.link("root/tmp/perf-3.map", "other");
  EXPECT_EQ(resolve(0x7f0000000010).function, "");
  filesystem::remove(tree_.path() + "/root/tmp/perf-3.map");
  tree_.write("root/tmp/perf-3.map", "7f0000000000 100 jit_function\n");
  EXPECT_EQ(resolve(0x7f0000000010).function, "jit_function");
  tree_.write("proc/10/status",
              fmt::format("Tgid:\t10\nUid:\t0\t{}\t0\t0\nNSpid:\t10\t3\n", ::geteuid() + 1));
  EXPECT_EQ(resolve(0x7f0000000010).function, "");
  EXPECT_NE(notes_.find("owned by uid"), std::string::npos) << notes_;
}

TEST_F(FakeTarget, KernelSymbols) {
  install(ELF_SAMPLE);
  tree_.write("proc/kallsyms", "ffffffff81000000 T do_work\nffffffffc0000000 t m_work\t[m]\n");
  EXPECT_EQ(resolve(0xffffffff81000010, true).function, "do_work");
  EXPECT_EQ(resolve(0xffffffffc0000010, true).function, "m_work");
  EXPECT_EQ(resolve(0xffffffffc0000010, true).module, "[m]");
  tree_.write("proc/kallsyms", "0000000000000000 T do_work\n");
  const auto hidden = resolve(0xffffffff81000010, true);
  EXPECT_EQ(hidden.function, "");
  EXPECT_EQ(hidden.module, "[kernel]");
  EXPECT_NE(notes_.find("hides"), std::string::npos);
}

TEST_F(FakeTarget, HostileBinary) {
  install(ELF_SAMPLE);
  std::ofstream(server(), std::ios::trunc) << "\177ELF\2\1\1";
  EXPECT_EQ(resolve(kBase + sample_address("sample_local")).function, "");
  EXPECT_NE(notes_.find("/app/server"), std::string::npos);
}

TEST(EndedTarget, IsResolvedFromWhatWasOpened) {
  std::array<int, 2> in{}, out{};
  ASSERT_EQ(::pipe(in.data()), 0);
  ASSERT_EQ(::pipe(out.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::dup2(in[0], 0);
    ::dup2(out[1], 1);
    ::close(in[1]);
    ::execl(ELF_SAMPLE, ELF_SAMPLE, "wait", static_cast<char*>(nullptr));
    ::_exit(127);
  }
  ::close(in[0]);
  ::close(out[1]);
  char byte = 0;
  ASSERT_EQ(::read(out[0], &byte, 1), 1) << "the sample runs";
  auto symbolizer = Symbolizer::open(ProcFs{}, child);
  ::close(in[1]);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  ::close(out[0]);
  ASSERT_TRUE(symbolizer.ok()) << symbolizer.error().what;
  EXPECT_FALSE(symbolizer->refresh_mappings().ok());
  const std::uint64_t vaddr = sample_address("sample_weak");
  int hits = 0;
  for (const auto& mapping : symbolizer->mappings()) {
    if (!mapping.exec || mapping.path.find("elf_sample") == std::string::npos) continue;
    const std::uint64_t pc = mapping.start + (vaddr - mapping.offset);
    if (pc >= mapping.end) continue;
    EXPECT_EQ(symbolizer->resolve(pc, false)[0].function, "sample_weak");
    ++hits;
  }
  EXPECT_EQ(hits, 1);
}

TEST(ModuleCache, IsSharedAndBounded) {
  auto cache = std::make_shared<ModuleCache>();
  Fd no_root;
  const auto open = [&](ModuleCache& c, const char* path) {
    return *c.open(Fd(::open(path, O_RDONLY | O_CLOEXEC)), path, no_root);
  };
  const auto sample = open(*cache, ELF_SAMPLE);
  EXPECT_EQ(open(*cache, ELF_SAMPLE), sample) << "the same file is read once";
  ASSERT_FALSE(cache->symbols(*sample).symbols.empty());
  EXPECT_EQ(sample->origin, "symtab");
  const std::size_t one = cache->bytes();
  ASSERT_GT(one, 0u);

  ModuleCache small(one + 100);
  const auto first = open(small, ELF_SAMPLE), second = open(small, ELF_DEBUG);
  EXPECT_FALSE(small.symbols(*first).symbols.empty());
  EXPECT_FALSE(small.symbols(*second).symbols.empty());
  EXPECT_FALSE(first->loaded) << "the least recently used one had to go";
  EXPECT_LE(small.bytes(), one + 100);
  EXPECT_FALSE(small.symbols(*first).symbols.empty()) << "and is read again when asked for";

  ModuleCache tiny(10);
  const auto large = open(tiny, ELF_SAMPLE);
  EXPECT_TRUE(tiny.symbols(*large).symbols.empty());
  EXPECT_NE(large->why_not, "");
  EXPECT_FALSE(cache->open(Fd(::open("/etc/passwd", O_RDONLY)), "x", no_root).ok());
}

}  // namespace
}  // namespace srvprof
