// An ELF file of this machine's byte order: its headers as plain data, and reading parts of it.
// The file may be hostile or change under us: nothing is mapped, every size is checked against the
// file and a limit, and malformed parts are left out or give an Error.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace srvprof {

// A PT_LOAD segment: file bytes [offset, offset + file_size) are at vaddr.
struct ElfSegment {
  std::uint64_t offset = 0;
  std::uint64_t vaddr = 0;
  std::uint64_t file_size = 0;
  std::uint64_t memory_size = 0;
  bool exec = false;
  bool write = false;
};

struct ElfSection {
  std::string name;
  std::uint32_t type = 0;  // SHT_*
  std::uint32_t link = 0;  // sh_link: of a symbol table, the index of its strings
  std::uint64_t vaddr = 0;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

struct ElfFile {
  Fd fd;              // or, for an image that was copied from memory:
  std::string image;  // all its bytes
  std::uint64_t size = 0;

  bool is64 = true;
  std::uint16_t machine = 0;         // EM_*
  std::uint16_t type = 0;            // ET_EXEC, ET_DYN ...
  std::vector<ElfSegment> segments;  // PT_LOAD, in file order
  std::vector<ElfSection> sections;  // index 0 included, so that `link` fits
  std::string build_id;              // lower-case hex, "" if there is none
  std::string debug_link;            // file name in .gnu_debuglink, "" if there is none
  std::uint32_t debug_link_crc = 0;
};

enum class FollowLinks { kYes, kNo };

Result<ElfFile> open_elf(const std::string& path, FollowLinks links = FollowLinks::kYes);
// Takes the descriptor, which must be one of a regular file.
Result<ElfFile> open_elf(Fd fd);
// An image in memory, such as the vdso.
Result<ElfFile> open_elf_image(std::string bytes);

// Exactly `length` bytes at `offset`; an Error if they are not all in the file or above `limit`.
Result<std::string> read_bytes(const ElfFile& elf, std::uint64_t offset, std::uint64_t length,
                               std::uint64_t limit);
// The bytes of a section; an Error for one that has none in the file (SHT_NOBITS).
Result<std::string> read_section(const ElfFile& elf, const ElfSection& section,
                                 std::uint64_t limit);

// The first section of that name, or null.
const ElfSection* find_section(const ElfFile& elf, std::string_view name);

// Between file offsets and the addresses that symbols use; nothing outside of the segments.
std::optional<std::uint64_t> offset_to_vaddr(const ElfFile& elf, std::uint64_t offset);
std::optional<std::uint64_t> vaddr_to_offset(const ElfFile& elf, std::uint64_t vaddr);

}  // namespace srvprof
