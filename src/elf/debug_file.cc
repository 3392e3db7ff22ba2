#include "elf/debug_file.h"

#include <zlib.h>

#include <algorithm>

namespace srvprof {

std::vector<std::string> debug_file_candidates(const ElfFile& elf, std::string_view module_path) {
  constexpr std::string_view kDebugRoot = "/usr/lib/debug";
  std::vector<std::string> paths;
  if (elf.build_id.size() > 2) {
    paths.push_back(std::string(kDebugRoot) + "/.build-id/" + elf.build_id.substr(0, 2) + "/" +
                    elf.build_id.substr(2) + ".debug");
  }
  const auto slash = module_path.rfind('/');
  if (!elf.debug_link.empty() && slash != std::string_view::npos) {
    const std::string directory(module_path.substr(0, slash + 1));
    // A link to the file's own name would lead back to the file itself.
    if (module_path.substr(slash + 1) != elf.debug_link) {
      paths.push_back(directory + elf.debug_link);
    }
    paths.push_back(directory + ".debug/" + elf.debug_link);
    paths.push_back(std::string(kDebugRoot) + directory + elf.debug_link);
  }
  return paths;
}

bool is_debug_file_of(const ElfFile& debug, const ElfFile& elf) {
  if (!debug.build_id.empty() && !elf.build_id.empty()) return debug.build_id == elf.build_id;
  if (elf.debug_link.empty()) return false;
  const auto crc = file_crc32(debug);
  return crc.ok() && *crc == elf.debug_link_crc;
}

Result<std::uint32_t> file_crc32(const ElfFile& elf) {
  constexpr std::uint64_t kChunk = 1 << 20, kLimit = std::uint64_t{4} << 30;
  if (elf.size > kLimit) {
    return Error{"checking a debug file: larger than 4 GiB", "", ErrorKind::kFailed};
  }
  uLong crc = ::crc32(0, nullptr, 0);
  for (std::uint64_t at = 0; at < elf.size; at += kChunk) {
    const std::string bytes = TRY(read_bytes(elf, at, std::min(kChunk, elf.size - at), kChunk));
    crc =
        ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  }
  return static_cast<std::uint32_t>(crc);
}

}  // namespace srvprof
