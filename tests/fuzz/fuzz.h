// What the fuzzers share. A fuzzer is one file, named after what it feeds: SRVPROF_FUZZ(input) { ... }.
// It may look at nothing but its input, and ends the process where a promise of the code is broken.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "elf/elf_file.h"
#include "target/memory.h"

namespace srvprof::fuzz {

using Input = std::span<const std::uint8_t>;

// A broken promise is a finding, as a bad access is.
inline void require(bool holds) {
  if (!holds) std::abort();
}

inline std::string_view text_of(Input input) {
  return {reinterpret_cast<const char*>(input.data()), input.size()};
}

// Takes values from the front; zeros when nothing is left.
class Cutter {
 public:
  explicit Cutter(Input input) : rest_(input) {}

  template <class T>
  T take() {
    T value{};
    const std::size_t n = std::min(sizeof value, rest_.size());
    std::memcpy(&value, rest_.data(), n);
    rest_ = rest_.subspan(n);
    return value;
  }
  Input bytes(std::size_t n) {
    const Input part = rest_.first(std::min(n, rest_.size()));
    rest_ = rest_.subspan(part.size());
    return part;
  }
  Input rest() const { return rest_; }

 private:
  Input rest_;
};

// A file that holds `bytes`, in memory.
inline Fd file_of(Input bytes) {
  Fd fd(::memfd_create("fuzz", MFD_CLOEXEC));
  require(fd.valid());
  require(::write(fd.get(), bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
  require(::lseek(fd.get(), 0, SEEK_SET) == 0);
  return fd;
}

// The memory of a process: pieces "address (8 bytes), length (2 bytes), bytes". Reads in a piece
// succeed, all others fail.
class Memory {
 public:
  explicit Memory(Input pieces) {
    Cutter cutter(pieces);
    while (!cutter.rest().empty() && pieces_.size() < 512) {
      const auto address = cutter.take<std::uint64_t>();
      const auto length = cutter.take<std::uint16_t>();
      pieces_.push_back({address, cutter.bytes(length)});
    }
  }

  MemoryReader reader() const {
    return [this](std::uint64_t address, std::span<std::byte> out) {
      for (const Piece& p : pieces_) {
        const std::uint64_t from = address - p.address;
        if (from >= p.bytes.size() || out.size() > p.bytes.size() - from) continue;
        std::memcpy(out.data(), p.bytes.data() + from, out.size());
        return true;
      }
      return false;
    };
  }

 private:
  struct Piece {
    std::uint64_t address = 0;
    Input bytes;
  };
  std::vector<Piece> pieces_;
};

// An x86-64 program of one executable and one writable segment, whose bytes begin at `code` and `data`.
inline ElfFile program_of(std::string image, std::uint64_t data_at) {
  ElfFile elf;
  elf.size = image.size();
  elf.image = std::move(image);
  elf.machine = 62;  // EM_X86_64
  elf.type = 2;      // ET_EXEC
  data_at = std::min(data_at, elf.size);
  elf.segments.push_back({0, 0x400000, data_at, data_at, true, false});
  elf.segments.push_back({data_at, 0x800000, elf.size - data_at, elf.size - data_at, false, true});
  return elf;
}

}  // namespace srvprof::fuzz

#define SRVPROF_FUZZ(input)                                                              \
  static void fuzz_one(srvprof::fuzz::Input input);                                      \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);     \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {    \
    fuzz_one({data, size});                                                              \
    return 0;                                                                            \
  }                                                                                      \
  static void fuzz_one(srvprof::fuzz::Input input)
