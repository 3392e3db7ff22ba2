// Functions of Go programs by the runtime's own table (.gopclntab): stripped binaries have it too, and it
// knows lines and inlined calls. cgo's C functions are not in it: the symbol table answers for those.
#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "base/escape.h"
#include "elf/gopclntab.h"
#include "symbolize/modules.h"
#include "symbolize/source.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxFiles = 1024;

class GoSource final : public SymbolSource {
 public:
  explicit GoSource(const TargetView& target) : target_(target) { GoSource::refresh(); }

  void refresh() override {
    for (const MemoryMapping& mapping : target_.maps) {
      if (mapping.exec && mapping.kind == MappingKind::kFile && mapping.inode != 0) look_at(mapping);
    }
  }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (mapping == nullptr || mapping->kind != MappingKind::kFile) return false;
    const auto it = programs_.find({mapping->device, mapping->inode});
    if (it == programs_.end() || it->second == nullptr) return false;
    const Program& program = *it->second;
    const ElfFile& elf = program.module->elf;
    const auto vaddr = offset_to_vaddr(elf, file_offset(*mapping, question.pc));
    if (!vaddr) return false;
    const auto found = go_frames(program.table, elf, *vaddr);
    for (std::size_t i = 0; i < found.size(); ++i) {
      ResolvedFrame frame;
      frame.function = found[i].function;
      frame.module = mapping->path;
      frame.module_offset = *vaddr;
      frame.file = found[i].file;
      frame.line = found[i].line;
      frame.inlined = i + 1 < found.size();
      frame.source = kGoSource;
      frames.push_back(std::move(frame));
    }
    return !found.empty();
  }

  std::vector<std::string> notes() const override { return notes_; }

 private:
  struct Program {
    std::shared_ptr<Module> module;
    GoTable table;
  };

  void look_at(const MemoryMapping& mapping) {
    const auto [it, is_new] = programs_.try_emplace({mapping.device, mapping.inode});
    if (!is_new || programs_.size() > kMaxFiles) return;
    auto fd = open_mapped_file(target_.fs, target_.process.pid, target_.root, mapping);
    if (!fd.ok()) return;
    auto module = target_.modules->open(std::move(*fd), mapping.path, target_.root);
    if (!module.ok() || !is_go((*module)->elf)) return;
    auto table = read_go_table((*module)->elf);
    if (table.ok()) {
      it->second = std::make_unique<Program>(Program{std::move(*module), std::move(*table)});
    } else {
      notes_.push_back("functions of Go in " + escape_text(mapping.path) + ": " + table.error().what);
    }
  }

  // Searching every library for the table would read all of them.
  static bool is_go(const ElfFile& elf) {
    for (const char* name : {".gopclntab", ".data.rel.ro.gopclntab", ".go.buildinfo"}) {
      if (find_section(elf, name) != nullptr) return true;
    }
    return elf.sections.size() <= 1;  // without section headers nothing is told by name
  }

  const TargetView& target_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::unique_ptr<Program>> programs_;
  std::vector<std::string> notes_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_go_source(const TargetView& target) {
  return std::make_unique<GoSource>(target);
}

}  // namespace srvprof
