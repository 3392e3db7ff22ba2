#include "symbolize/jit_dump.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "symbolize/perf_map.h"
#include "symbolize/symbolizer.h"

namespace srvprof {
namespace {

template <class T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof value);
}

class DumpText {
 public:
  explicit DumpText(std::uint32_t pid = 7) {
    put(bytes, std::uint32_t{0x4a695444});
    for (const std::uint32_t v : {1u, 40u, 62u, 0u}) put(bytes, v);
    put(bytes, pid);
    put(bytes, std::uint64_t{1});
    put(bytes, std::uint64_t{0});
  }
  DumpText& load(std::uint64_t address, std::uint64_t size, std::uint64_t index, const std::string& name) {
    std::string body = of({0, address, address, size, index});
    body += name + '\0' + std::string(size, '\x90');
    return record(0, body);
  }
  DumpText& move(std::uint64_t from, std::uint64_t to, std::uint64_t size, std::uint64_t index) {
    return record(1, of({0, to, from, to, size, index}));
  }
  DumpText& line(std::uint64_t address, std::uint32_t line, const std::string& file) {
    std::string body = of({address, 1, address});
    put(body, line);
    put(body, std::uint32_t{0});
    return record(2, body + file + '\0');
  }
  DumpText& record(std::uint32_t id, const std::string& body) {
    put(bytes, id);
    put(bytes, static_cast<std::uint32_t>(16 + body.size()));
    put(bytes, std::uint64_t{0});
    bytes += body;
    return *this;
  }
  std::string bytes;

 private:
  static std::string of(std::initializer_list<std::uint64_t> words) {
    std::string out;
    for (const std::uint64_t w : words) put(out, w);
    return out;
  }
};

std::string name_at(const JitDump& dump, std::uint64_t address) {
  const Symbol* symbol = find_jit_symbol(dump.table, address);
  return symbol != nullptr ? std::string(symbol_name(dump.table, *symbol)) : "";
}

TEST(JitDump, CodeMovedCodeAndLines) {
  DumpText text;
  text.line(0x1000, 10, "a.lua").line(0x1008, 12, "\xff").load(0x1000, 16, 1, "first").load(0x2000, 8, 2, "second");
  text.move(0x2000, 0x3000, 8, 2).load(0x1008, 4, 3, "later");
  const JitDump dump = parse_jit_dump(text.bytes, 7);
  EXPECT_EQ(name_at(dump, 0x1000), "first");
  EXPECT_EQ(name_at(dump, 0x1008), "later");
  EXPECT_EQ(name_at(dump, 0x100f), "first");
  EXPECT_EQ(name_at(dump, 0x3007), "second");
  EXPECT_EQ(name_at(dump, 0x4000), "");
  const JitLine* line = find_jit_line(dump, 0x1000, 0x1010, 0x1009);
  ASSERT_NE(line, nullptr);
  EXPECT_EQ(line->line, 12u);
  EXPECT_STREQ(dump.files.c_str() + line->file, "a.lua");
  EXPECT_EQ(find_jit_line(dump, 0x2000, 0x2008, 0x2000), nullptr);
}

TEST(JitDump, OfAnotherProcessOrNone) {
  DumpText text(8);
  text.load(0x1000, 16, 1, "f");
  EXPECT_TRUE(parse_jit_dump(text.bytes, 7).table.symbols.empty());
  EXPECT_EQ(parse_jit_dump(text.bytes, 8).table.symbols.size(), 1u);
  EXPECT_TRUE(parse_jit_dump("DTiJ", 7).table.symbols.empty());
  EXPECT_TRUE(parse_jit_dump("", 7).table.symbols.empty());
}

TEST(JitDump, EveryTruncationAndAbsurdSizes) {
  DumpText text;
  text.load(0x1000, 16, 1, "first").line(0x1000, 3, "f").load(0x2000, 16, 2, "second");
  for (std::size_t n = 0; n < text.bytes.size(); ++n) {
    EXPECT_LE(parse_jit_dump(text.bytes.substr(0, n), 7).table.symbols.size(), 1u) << n;
  }
  std::string body;
  for (const std::uint64_t w : {std::uint64_t{1}, ~std::uint64_t{0}, std::uint64_t{1}}) put(body, w);
  text.record(2, body);                     // as many lines as can be said
  text.record(1, std::string(48, '\xff'));  // moves what is not known
  EXPECT_EQ(name_at(parse_jit_dump(text.bytes, 7), 0x2000), "second");
  put(text.bytes, std::uint32_t{0});
  put(text.bytes, std::uint32_t{3});  // shorter than its header
  EXPECT_EQ(parse_jit_dump(text.bytes, 7).table.symbols.size(), 2u);
}

// As a runtime does it: the file is mapped, the code lies in anonymous memory.
TEST(JitDump, OfALivingProcess) {
  char folder[] = "/tmp/jitdump-test-XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/jit-" + std::to_string(::getpid()) + ".dump";
  void* code = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const auto at = reinterpret_cast<std::uint64_t>(code);
  DumpText text(static_cast<std::uint32_t>(::getpid()));
  text.line(at + 64, 5, "/app/x.lua").load(at + 64, 32, 1, "jitted");
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(file.get(), text.bytes.data(), text.bytes.size()), static_cast<ssize_t>(text.bytes.size()));
  void* marker = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, file.get(), 0);
  ASSERT_NE(marker, MAP_FAILED);
  auto symbolizer = Symbolizer::open(ProcFs{}, ::getpid());
  ASSERT_TRUE(symbolizer.ok());
  const auto frames = symbolizer->resolve(at + 70, false);
  EXPECT_EQ(frames[0].function, "jitted");
  EXPECT_EQ(frames[0].source, "jitdump");
  EXPECT_EQ(frames[0].file, "/app/x.lua");
  EXPECT_EQ(frames[0].line, 5u);
  ::munmap(marker, 4096);
  ::munmap(code, 4096);
  ::unlink(path.c_str());
  ::rmdir(folder);
}

}  // namespace
}  // namespace srvprof
