#include "unwind/modules.h"

#include "target/memory.h"
#include "target/open.h"
#include "unwind/hints.h"

namespace srvprof {
namespace {

Result<ElfFile> open_code(const ProcFs& fs, pid_t pid, const Fd& root, const MemoryMapping& mapping) {
  if (mapping.kind == MappingKind::kVdso) {
    return open_elf_image(TRY(read_memory(pid, mapping.start, mapping.end - mapping.start)));
  }
  return open_elf(TRY(open_mapped_file(fs, pid, root, mapping)));
}

}  // namespace

std::unique_ptr<CodeModule> CodeModules::read(pid_t pid, const Fd& root,
                                              const MemoryMapping& mapping) {
  auto elf = open_code(fs_, pid, root, mapping);
  if (!elf) return nullptr;
  auto module = std::make_unique<CodeModule>();
  module->path = mapping.path;
  module->v8_shared = v8_shared_offset(*elf);
  module->elf = std::move(*elf);
  module->elf.fd.reset();
  return module;
}

const CodeModule* CodeModules::find(pid_t pid, const Fd& root, const MemoryMapping& mapping) {
  // The vdso is the kernel's and the same everywhere.
  const Key key = mapping.kind == MappingKind::kVdso
                      ? Key{0, 0, "[vdso]"}
                      : Key{mapping.device, mapping.inode, mapping.path};
  if (const auto it = known_.find(key); it != known_.end()) return it->second;
  auto module = read(pid, root, mapping);
  const CodeModule* found = module.get();
  if (module != nullptr) modules_.push_back(std::move(module));
  known_.emplace(key, found);
  return found;
}

}  // namespace srvprof
