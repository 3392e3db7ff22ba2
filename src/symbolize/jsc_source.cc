// JavaScript functions of JavaScriptCore in Bun. The hint of a frame is the executable of its function;
// what it is called is read from the heap (jsc_heap.h).
#include <optional>

#include "elf/elf_file.h"
#include "symbolize/jsc_heap.h"
#include "symbolize/source.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kMaxNames = std::uint64_t{128} << 20;
constexpr std::string_view kCompiled = "[jsc compiled]";
constexpr std::string_view kInterpreted = "[jsc interpreted]";

// Bun offers Node's interface for native modules without V8's constants for debuggers.
bool has_jsc(const ElfFile& elf) {
  const ElfSection* section = find_section(elf, ".dynstr");
  if (section == nullptr) return false;
  const auto names = read_section(elf, *section, kMaxNames);
  return names.ok() && names->find("napi_create_function") != std::string::npos &&
         names->find("v8dbg_") == std::string::npos;
}

class JscSource final : public SymbolSource {
 public:
  explicit JscSource(const TargetView& target) : target_(target) {
    for (const MemoryMapping& mapping : target_.maps) {
      if (mapping.kind != MappingKind::kFile || mapping.path != target_.process.exe) continue;
      auto fd = open_mapped_file(target_.fs, target_.process.pid, target_.root, mapping);
      if (!fd.ok()) return;
      const auto elf = open_elf(std::move(*fd));
      if (elf.ok() && has_jsc(*elf)) heap_.emplace(memory_of(target_.process.pid));
      return;
    }
  }

  void learn(std::uint64_t hint) override {
    if (heap_) heap_->function(hint);
  }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (!heap_ || question.hint == 0 || mapping == nullptr) return false;
    const bool interpreted = mapping->kind == MappingKind::kFile;
    if (interpreted && mapping->path != target_.process.exe) return false;
    const ScriptFunction* function = heap_->last_function(question.hint);
    if (function == nullptr) function = heap_->function(question.hint);
    if (function == nullptr) return false;
    ResolvedFrame frame;
    frame.function = function->name.empty() ? std::string(kUnnamedFunction) : function->name;
    frame.file = function->file;
    frame.line = function->line;
    frame.module = interpreted ? kInterpreted : kCompiled;
    frame.module_offset =
        interpreted ? file_offset(*mapping, question.pc) : question.pc - mapping->start;
    frame.by_hint = true;
    frame.source = kJscSource;
    frames.push_back(std::move(frame));
    return true;
  }

 private:
  const TargetView& target_;
  std::optional<JscHeap> heap_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_jsc_source(const TargetView& target) {
  return std::make_unique<JscSource>(target);
}

}  // namespace srvprof
