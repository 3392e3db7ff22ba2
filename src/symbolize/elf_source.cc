// Addresses in mapped programs and libraries, by their symbol tables.
#include <map>
#include <tuple>

#include "base/escape.h"
#include "symbolize/demangle.h"
#include "symbolize/modules.h"
#include "symbolize/source.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxModules = 1024;  // each holds a descriptor open

// A mapped file as maps show it.
using FileKey = std::tuple<std::uint64_t, std::uint64_t, std::string>;

FileKey key_of(const MemoryMapping& m) { return {m.device, m.inode, m.path}; }

class ElfSource final : public SymbolSource {
 public:
  explicit ElfSource(const TargetView& target) : target_(target) { ElfSource::refresh(); }

  // Opens every file as soon as it is seen: later it may be deleted, or the target gone.
  void refresh() override {
    for (const auto& mapping : target_.maps) {
      if (mapping.exec && mapping.kind == MappingKind::kFile &&
          !mapping.path.starts_with("/dev/")) {
        open_file(mapping);
      }
    }
  }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (mapping == nullptr || mapping->kind != MappingKind::kFile) return false;
    const auto it = files_.find(key_of(*mapping));
    if (it == files_.end() || !it->second.ok()) return false;
    Module& module = **it->second;
    const auto vaddr = offset_to_vaddr(module.elf, file_offset(*mapping, question.pc));
    if (!vaddr) return false;
    ResolvedFrame frame;
    frame.module = mapping->path;
    frame.module_offset = *vaddr;
    frame.source = kNoSource;
    const SymbolTable& table = target_.modules->symbols(module);
    if (const Symbol* symbol = find_symbol(table, *vaddr)) {
      frame.function = demangle(symbol_name(table, *symbol));
      frame.source = kElfSource;
    }
    add_with_lines(module, std::move(frame), frames);
    return true;
  }

  std::vector<std::string> notes() const override {
    std::vector<std::string> notes;
    for (const auto& [key, module] : files_) {
      const std::string what = "symbols of " + escape_text(std::get<2>(key)) + ": ";
      if (!module.ok()) {
        notes.push_back(what + module.error().what);
      } else if ((*module)->loaded && !(*module)->why_not.empty()) {
        notes.push_back(what + (*module)->why_not);
      }
      if (module.ok() && (*module)->lines != nullptr && (*module)->lines->exhausted()) {
        notes.push_back("lines of " + escape_text(std::get<2>(key)) +
                        ": looking them up took too long, some are missing");
      }
    }
    return notes;
  }

 private:
  // The frame of the function that holds the code, behind those of the calls that were inlined there.
  void add_with_lines(Module& module, ResolvedFrame frame, std::vector<ResolvedFrame>& frames) {
    DwarfLines* lines = target_.modules->lines(module);
    auto calls = lines != nullptr ? lines->at(frame.module_offset) : std::vector<DwarfCall>{};
    for (std::size_t i = 0; i + 1 < calls.size(); ++i) {
      ResolvedFrame inner = frame;
      inner.function = std::move(calls[i].function);
      inner.file = std::move(calls[i].file);
      inner.line = calls[i].line;
      inner.inlined = true;
      inner.source = kElfSource;
      frames.push_back(std::move(inner));
    }
    if (!calls.empty()) {
      if (frame.function.empty()) frame.function = std::move(calls.back().function);
      frame.file = std::move(calls.back().file);
      frame.line = calls.back().line;
      if (!frame.function.empty()) frame.source = kElfSource;
    }
    frames.push_back(std::move(frame));
  }

  void open_file(const MemoryMapping& mapping) {
    if (files_.size() >= kMaxModules || files_.contains(key_of(mapping))) return;
    files_.emplace(key_of(mapping), open_module(mapping));
  }

  Result<std::shared_ptr<Module>> open_module(const MemoryMapping& mapping) {
    Fd fd = TRY(open_mapped_file(target_.fs, target_.process.pid, target_.root, mapping));
    return target_.modules->open(std::move(fd), mapping.path, target_.root);
  }

  const TargetView& target_;
  std::map<FileKey, Result<std::shared_ptr<Module>>> files_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_elf_source(const TargetView& target) {
  return std::make_unique<ElfSource>(target);
}

}  // namespace srvprof
