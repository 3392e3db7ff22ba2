// USDT probes: instructions (mostly a nop) that a program's author has marked, with a name and with where
// the arguments are, in notes of type "stapsdt".
// Format: https://sourceware.org/systemtap/wiki/UserSpaceProbeImplementation
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

// Where an instruction finds a value: in a register, in memory at register + offset, or a constant.
struct ArgumentPlace {
  enum class How : std::uint8_t { kNone = 0, kRegister = 1, kMemory = 2, kConstant = 3 };
  How how = How::kNone;
  std::uint8_t reg = 0;   // its place in the kernel's struct pt_regs
  std::uint8_t size = 8;  // bytes: 1, 2, 4 or 8
  std::int32_t offset = 0;
};

struct UsdtProbe {
  std::string provider, name;
  std::uint64_t vaddr = 0;
  std::uint64_t semaphore = 0;  // vaddr of a counter that must be above 0 to enable it, 0 = none
  std::vector<ArgumentPlace> arguments;  // how kNone: in a form that is not read
};

// The probes of a file; none if it has no notes. Error: malformed, or above 4 MiB of notes.
Result<std::vector<UsdtProbe>> read_usdt(const ElfFile& elf);

// "8@%rax -4@$5 1@-9(%rbp)", of the machine that `elf` is for.
std::vector<ArgumentPlace> parse_usdt_arguments(std::string_view text, std::uint16_t machine);

}  // namespace srvprof
