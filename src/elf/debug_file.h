// Where the symbols of a stripped file may be: its debug file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

// Paths to try, best first, in the file system that `module_path` belongs to: by build id below
// /usr/lib/debug/.build-id, then by .gnu_debuglink beside the file, in .debug and below
// /usr/lib/debug.
std::vector<std::string> debug_file_candidates(const ElfFile& elf, std::string_view module_path);

// Whether `debug` was made from the same program as `elf`: equal build ids or, where one has none,
// the CRC that `elf` gives in its .gnu_debuglink (reads all of `debug`).
bool is_debug_file_of(const ElfFile& debug, const ElfFile& elf);

// CRC-32 of the whole file, as in .gnu_debuglink. Error if it is above 4 GiB or not readable.
Result<std::uint32_t> file_crc32(const ElfFile& elf);

}  // namespace srvprof
