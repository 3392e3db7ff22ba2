#include "elf/elf_file.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <random>

#include "elf/debug_file.h"
#include "elf/symbols.h"

namespace srvprof {
namespace {

std::string file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  std::array<char, 4096> buffer;
  while (const auto n = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    text.append(buffer.data(), n);
  }
  ::pclose(pipe);
  return text;
}

Fd memory_file(const std::string& bytes) {
  Fd fd(::memfd_create("elf-test", MFD_CLOEXEC));
  EXPECT_EQ(::write(fd.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  return fd;
}

TEST(ElfFile, HeadersAgreeWithReadelf) {
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok()) << elf.error().what;
  EXPECT_TRUE(elf->is64);
  const std::string notes = output_of(READELF " -nW " ELF_SAMPLE);
  ASSERT_EQ(elf->build_id.size(), 40u);
  EXPECT_NE(notes.find("Build ID: " + elf->build_id), std::string::npos);
  const std::string segments = output_of(READELF " -lW " ELF_SAMPLE);
  std::size_t loads = 0;
  for (std::size_t at = 0; (at = segments.find("  LOAD ", at)) != std::string::npos; ++at) ++loads;
  EXPECT_EQ(elf->segments.size(), loads);
  const ElfSection* text = find_section(*elf, ".text");
  ASSERT_NE(text, nullptr);
  char address[32];
  std::snprintf(address, sizeof address, "%016lx %06lx", static_cast<unsigned long>(text->vaddr),
                static_cast<unsigned long>(text->offset));
  EXPECT_NE(output_of(READELF " -SW " ELF_SAMPLE).find(address), std::string::npos);
  EXPECT_EQ(find_section(*elf, ".nonesuch"), nullptr);
}

TEST(ElfFile, TranslatesBothWays) {
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  bool exec_seen = false;
  for (const auto& s : elf->segments) {
    exec_seen = exec_seen || s.exec;
    EXPECT_EQ(offset_to_vaddr(*elf, s.offset + s.file_size - 1), s.vaddr + s.file_size - 1);
    EXPECT_EQ(vaddr_to_offset(*elf, s.vaddr), s.offset);
  }
  EXPECT_TRUE(exec_seen);
  EXPECT_FALSE(offset_to_vaddr(*elf, ~std::uint64_t{0}));
  EXPECT_FALSE(vaddr_to_offset(*elf, ~std::uint64_t{0}));
}

TEST(ElfFile, DebugFileByBuildIdAndByCrc) {
  const auto stripped = open_elf(ELF_STRIPPED);
  auto debug = open_elf(ELF_DEBUG);
  const auto other = open_elf("/proc/self/exe");
  ASSERT_TRUE(stripped.ok() && debug.ok() && other.ok());
  EXPECT_EQ(stripped->debug_link, "elf_sample.debug");
  EXPECT_TRUE(is_debug_file_of(*debug, *stripped));
  EXPECT_FALSE(is_debug_file_of(*other, *stripped));
  debug->build_id.clear();
  EXPECT_TRUE(is_debug_file_of(*debug, *stripped)) << "the CRC decides";

  const auto paths = debug_file_candidates(*stripped, "/opt/app/server");
  ASSERT_EQ(paths.size(), 4u);
  EXPECT_EQ(paths[0], "/usr/lib/debug/.build-id/" + stripped->build_id.substr(0, 2) + "/" +
                          stripped->build_id.substr(2) + ".debug");
  EXPECT_EQ(paths[1], "/opt/app/elf_sample.debug");
  EXPECT_EQ(paths[2], "/opt/app/.debug/elf_sample.debug");
  EXPECT_EQ(paths[3], "/usr/lib/debug/opt/app/elf_sample.debug");
  const auto whole = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(debug_file_candidates(*whole, "/opt/app/server").size(), 1u);
}

TEST(ElfFile, RefusesWhatIsNoElfFile) {
  EXPECT_FALSE(open_elf("/nonexistent").ok());
  EXPECT_FALSE(open_elf("/").ok());
  EXPECT_FALSE(open_elf(memory_file("")).ok());
  EXPECT_FALSE(open_elf(memory_file("#!/bin/sh\n")).ok());
  EXPECT_FALSE(open_elf_image("").ok());
  std::string foreign = file_bytes(ELF_SAMPLE);
  foreign[5] = static_cast<char>(3 - foreign[5]);  // EI_DATA: the other byte order
  EXPECT_FALSE(open_elf_image(foreign).ok());
  const std::string fifo = testing::TempDir() + "srvprof-elf-test.fifo";
  ::unlink(fifo.c_str());
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(open_elf(fifo).ok());
  ::unlink(fifo.c_str());
  const std::string link = testing::TempDir() + "srvprof-elf-test.link";
  std::filesystem::remove(link);
  std::filesystem::create_symlink(ELF_SAMPLE, link);
  EXPECT_FALSE(open_elf(link, FollowLinks::kNo).ok());
  EXPECT_TRUE(open_elf(link).ok());
  std::filesystem::remove(link);
}

TEST(ElfFile, ReadingIsBounded) {
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  EXPECT_TRUE(read_bytes(*elf, elf->size - 4, 4, 4).ok());
  EXPECT_FALSE(read_bytes(*elf, elf->size - 4, 5, 100).ok());
  EXPECT_FALSE(read_bytes(*elf, ~std::uint64_t{0}, 2, 100).ok());
  EXPECT_FALSE(read_bytes(*elf, 0, 5, 4).ok());
  const ElfSection* bss = find_section(*elf, ".bss");
  ASSERT_NE(bss, nullptr);
  EXPECT_FALSE(read_section(*elf, *bss, 1 << 20).ok());
}

// Everything that can be asked of a file; whatever it answers, it ends and stays in bounds.
void ask_everything(const Result<ElfFile>& elf) {
  if (!elf.ok()) return;
  const auto table = read_symbols(*elf);
  if (table.ok()) {
    for (const auto& symbol : table->symbols) {
      ASSERT_LE(symbol.name, table->names.size());
      ASSERT_NE(symbol.size, 0u);
      ASSERT_LE(symbol_name(*table, symbol).size(), kMaxSymbolName);
      ASSERT_NE(find_symbol(*table, symbol.vaddr), nullptr);
    }
  }
  for (const auto& path : debug_file_candidates(*elf, "/a/b")) ASSERT_FALSE(path.empty());
  ASSERT_LE(elf->sections.size(), 65536u);
}

TEST(HostileElf, EveryTruncation) {
  const std::string whole = file_bytes(ELF_SAMPLE);
  ASSERT_GT(whole.size(), 4096u);
  for (std::size_t n = 0; n < whole.size(); n += n < 1024 ? 1 : 61) {
    ask_everything(open_elf(memory_file(whole.substr(0, n))));
    ask_everything(open_elf_image(whole.substr(0, n)));
  }
}

TEST(HostileElf, FlippedBytes) {
  const std::string whole = file_bytes(ELF_SAMPLE);
  const auto elf = open_elf(ELF_SAMPLE);
  ASSERT_TRUE(elf.ok());
  std::mt19937 random(20240229);
  // Half of the changes hit the headers, where they do most.
  const auto position = [&](int round) {
    const std::size_t table = whole.size() - elf->sections.size() * 64;
    switch (round % 4) {
      case 0: return random() % 64;
      case 1: return 64 + random() % 800;
      case 2: return table + random() % (whole.size() - table);
      default: return random() % whole.size();
    }
  };
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (int change = 0; change < 1 + round % 3; ++change) {
      bytes[position(round)] = static_cast<char>(random() % 3 == 0 ? 0xff : random() % 256);
    }
    ask_everything(open_elf(memory_file(bytes)));
    ask_everything(open_elf_image(std::move(bytes)));
  }
}

TEST(HostileElf, FileThatShrinksAfterItWasOpened) {
  Fd fd = memory_file(file_bytes(ELF_SAMPLE));
  const Fd other(::dup(fd.get()));
  const auto elf = open_elf(std::move(fd));
  ASSERT_TRUE(elf.ok());
  ASSERT_EQ(::ftruncate(other.get(), 100), 0);
  EXPECT_FALSE(read_symbols(*elf).ok());
}

}  // namespace
}  // namespace srvprof
