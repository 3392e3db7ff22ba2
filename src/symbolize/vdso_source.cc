// The vdso: an ELF image that exists in memory only, read once from the target.
#include <optional>

#include "elf/symbols.h"
#include "symbolize/source.h"
#include "target/memory.h"

namespace srvprof {
namespace {

struct VdsoSymbols {
  ElfFile elf;
  SymbolTable table;
};

Result<VdsoSymbols> read_vdso(pid_t pid, const MemoryMapping& mapping) {
  std::string bytes = TRY(read_memory(pid, mapping.start, mapping.end - mapping.start));
  VdsoSymbols vdso;
  vdso.elf = TRY(open_elf_image(std::move(bytes)));
  vdso.table = TRY(read_symbols(vdso.elf));
  return vdso;
}

class VdsoSource final : public SymbolSource {
 public:
  explicit VdsoSource(const TargetView& target) : target_(target) {}

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (mapping == nullptr || mapping->kind != MappingKind::kVdso) return false;
    if (!vdso_) vdso_.emplace(read_vdso(target_.process.pid, *mapping));
    if (!vdso_->ok()) return false;
    const VdsoSymbols& vdso = **vdso_;
    const auto vaddr = offset_to_vaddr(vdso.elf, question.pc - mapping->start);
    const Symbol* symbol = vaddr ? find_symbol(vdso.table, *vaddr) : nullptr;
    if (symbol == nullptr) return false;
    ResolvedFrame frame;
    frame.function = symbol_name(vdso.table, *symbol);
    frame.module = "[vdso]";
    frame.module_offset = *vaddr;
    frame.source = kVdsoSource;
    frames.push_back(std::move(frame));
    return true;
  }

  std::vector<std::string> notes() const override {
    if (!vdso_ || vdso_->ok()) return {};
    return {"symbols of the vdso: " + vdso_->error().what};
  }

 private:
  const TargetView& target_;
  std::optional<Result<VdsoSymbols>> vdso_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_vdso_source(const TargetView& target) {
  return std::make_unique<VdsoSource>(target);
}

}  // namespace srvprof
