#include "unwind/modules.h"

#include <algorithm>

#include <fmt/format.h>

#include "target/memory.h"
#include "target/open.h"
#include "unwind/eh_frame.h"
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

// Modules that keep frame pointers can do without rows but for their leaves: they do not get the last quarter.
void CodeModules::take_rows(CodeModule& module) {
  auto rows = read_module_rows(module.elf);
  if (!rows) {
    module.why_not = rows.error().what;
    return;
  }
  const bool frame_pointers = rows->frame_pointers > rows->functions / 2;
  const std::size_t limit = frame_pointers ? max_rows_ / 4 * 3 : max_rows_;
  if (rows_ + rows->rows.size() > limit) {
    module.why_not = fmt::format("its {} rows do not fit into the {} that are left of {}", rows->rows.size(),
                                 limit - std::min(limit, rows_), limit);
    return;
  }
  rows_ += rows->rows.size();
  module.rows = std::move(*rows);
}

std::unique_ptr<CodeModule> CodeModules::read(pid_t pid, const Fd& root,
                                              const MemoryMapping& mapping) {
  auto elf = open_code(fs_, pid, root, mapping);
  if (!elf) return nullptr;
  auto module = std::make_unique<CodeModule>();
  module->path = mapping.path;
  module->v8_shared = v8_shared_offset(*elf);
  module->elf = std::move(*elf);
  take_rows(*module);
  module->elf.fd.reset();
  module->elf.image.clear();
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
