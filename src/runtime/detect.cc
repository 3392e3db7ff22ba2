#include <utility>

#include "runtime/binary.h"
#include "runtime/runtime.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kMaxNames = std::uint64_t{128} << 20;

// The executable is opened through its mapping, so that a replaced file or a container's path does
// not matter.
Result<ElfFile> open_executable(const ProcFs& fs, const ProcessInfo& process,
                                const std::vector<MemoryMapping>& maps) {
  Fd root = TRY(open_root(fs, process.pid));
  for (const MemoryMapping& m : maps) {
    if (m.kind == MappingKind::kFile && m.path == process.exe) {
      return open_elf(TRY(open_mapped_file(fs, process.pid, root, m)));
    }
  }
  return open_elf(TRY(open_in_root(root, process.exe, Links::kInsideRoot)));
}

}  // namespace

Result<Binary> read_binary(const ProcFs& fs, const ProcessInfo& process,
                           const std::vector<MemoryMapping>& maps) {
  Binary binary;
  binary.exe = TRY(open_executable(fs, process, maps));
  if (const ElfSection* names = find_section(binary.exe, ".dynstr")) {
    if (auto text = read_section(binary.exe, *names, kMaxNames)) {
      binary.exported_names = std::move(*text);
    }
  }
  for (const MemoryMapping& m : maps) {
    const bool known = !binary.mapped_files.empty() && binary.mapped_files.back() == m.path;
    if (m.kind == MappingKind::kFile && !known) binary.mapped_files.push_back(m.path);
  }
  return binary;
}

Result<std::vector<DetectedRuntime>> detect_runtimes(const ProcFs& fs, const ProcessInfo& process) {
  const std::vector<MemoryMapping> maps = TRY(read_maps(fs, process.pid));
  const Binary binary = TRY(read_binary(fs, process, maps));
  std::vector<DetectedRuntime> found;
  for (const Runtime& runtime : all_runtimes()) {
    if (runtime.name == "native" && !found.empty()) break;
    if (std::string evidence = runtime.detect(binary); !evidence.empty()) {
      found.push_back({std::string(runtime.name), std::move(evidence)});
    }
  }
  return found;
}

}  // namespace srvprof
