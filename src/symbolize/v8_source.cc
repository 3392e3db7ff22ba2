// JavaScript functions of V8. The hint of a frame is the SharedFunctionInfo of the function that it
// executes; what is at that address is read from the heap (v8_heap.h).
//
// Three kinds of code have such frames: machine code that V8 compiled from a function, its interpreter
// (one builtin for all functions), and builtins that are functions themselves or run on a function's
// frame. Builtins are part of V8's file, which V8 may map a second time, near the compiled code.
#include <algorithm>
#include <optional>
#include <set>

#include "base/escape.h"
#include "elf/constants.h"
#include "symbolize/modules.h"
#include "symbolize/source.h"
#include "symbolize/v8_heap.h"
#include "target/open.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxFiles = 1024;
constexpr std::string_view kInterpreter = "Builtins_InterpreterEntryTrampoline";

// Where a frame's code lies; the `module` of a resolved frame.
constexpr std::string_view kCompiled = "[v8 compiled]";
constexpr std::string_view kInterpreted = "[v8 interpreted]";
constexpr std::string_view kBuiltin = "[v8 builtin]";  // of a stripped file; else a symbol says more

// Code that runs on the frame of an interpreted function: the trampoline, and one handler a bytecode.
bool is_interpreter(std::string_view builtin) {
  return builtin.starts_with(kInterpreter) || builtin.ends_with("Handler");
}

class V8Source final : public SymbolSource {
 public:
  explicit V8Source(const TargetView& target) : target_(target) { V8Source::refresh(); }

  void refresh() override {
    for (const MemoryMapping& mapping : target_.maps) {
      if (!mapping.exec || mapping.kind != MappingKind::kFile) continue;
      if (!heap_ && mapping.inode != 0 && looked_at_.size() < kMaxFiles &&
          looked_at_.insert({mapping.device, mapping.inode}).second) {
        look_for_v8(mapping);
      }
    }
    find_builtins();
  }

  void learn(std::uint64_t hint) override {
    if (heap_) heap_->function(hint);
  }

  void forget() override {
    if (heap_) heap_->forget();
  }

  bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) override {
    const MemoryMapping* mapping = question.mapping;
    if (!heap_ || question.hint == 0 || mapping == nullptr) return false;
    // Not asked: whether it is executable, which V8 changes page by page.
    if (mapping->kind != MappingKind::kFile && mapping->kind != MappingKind::kVdso) {
      return resolve_compiled(question, frames);
    }
    return is_v8_file(*mapping) && resolve_builtin(question, frames);
  }

  std::vector<std::string> notes() const override {
    return note_.empty() ? std::vector<std::string>{} : std::vector<std::string>{note_};
  }

 private:
  void look_for_v8(const MemoryMapping& mapping) {
    auto fd = open_mapped_file(target_.fs, target_.process.pid, target_.root, mapping);
    if (!fd.ok()) return;
    auto module = target_.modules->open(std::move(*fd), mapping.path, target_.root);
    if (!module.ok() || find_section((*module)->elf, ".dynsym") == nullptr) return;
    auto constants = read_constants((*module)->elf, "v8dbg_");
    if (!constants.ok() || constants->empty()) return;
    const auto layout = make_v8_layout(*constants);
    if (!layout.ok()) {
      note_ = "functions of V8 in " + escape_text(mapping.path) + ": " + layout.error().what;
      return;
    }
    module_ = std::move(*module);
    device_ = mapping.device;
    inode_ = mapping.inode;
    heap_.emplace(*layout, memory_of(target_.process.pid));
  }

  bool is_v8_file(const MemoryMapping& m) const {
    return m.kind == MappingKind::kFile && m.device == device_ && m.inode == inode_;
  }

  // The part of the file that holds builtins is the one that is mapped twice.
  void find_builtins() {
    if (!heap_) return;
    for (const MemoryMapping& inner : target_.maps) {
      if (!inner.exec || !is_v8_file(inner)) continue;
      const std::uint64_t end = inner.offset + (inner.end - inner.start);
      for (const MemoryMapping& outer : target_.maps) {
        if (&outer == &inner || !outer.exec || !is_v8_file(outer)) continue;
        if (outer.offset > inner.offset || outer.offset + (outer.end - outer.start) < end) continue;
        builtins_begin_ = inner.offset;
        builtins_end_ = end;
      }
    }
  }

  // As it was when the frame was seen, if it was learnt then.
  const ScriptFunction* function_of(std::uint64_t hint) {
    const ScriptFunction* known = heap_->last_function(hint);
    return known != nullptr ? known : heap_->function(hint);
  }

  bool resolve_compiled(const Question& question, std::vector<ResolvedFrame>& frames) {
    const ScriptFunction* function = function_of(question.hint);
    if (function == nullptr) return false;
    ResolvedFrame frame = frame_of(*function);
    frame.module = kCompiled;
    frame.module_offset = question.pc - question.mapping->start;
    frames.push_back(std::move(frame));
    return true;
  }

  bool resolve_builtin(const Question& question, std::vector<ResolvedFrame>& frames) {
    const std::uint64_t offset = file_offset(*question.mapping, question.pc);
    if (builtins_end_ != 0 && (offset < builtins_begin_ || offset >= builtins_end_)) return false;
    const auto vaddr = offset_to_vaddr(module_->elf, offset);
    if (!vaddr) return false;
    const SymbolTable& table = target_.modules->symbols(*module_);
    const Symbol* symbol = find_symbol(table, *vaddr);
    const std::string_view builtin = symbol != nullptr ? symbol_name(table, *symbol) : "";
    // C++ code saves registers where a frame of JavaScript has its function.
    if (symbol != nullptr && !builtin.starts_with("Builtins_")) return false;
    const ScriptFunction* function = function_of(question.hint);
    if (function == nullptr) return false;
    const bool own = function->file.empty() && function->line == 0;  // the builtin is the function
    if (own && symbol != nullptr) return false;
    if (symbol != nullptr && !is_interpreter(builtin)) {
      // A leaf without a frame of its own: it was called by the function whose frame this is.
      ResolvedFrame leaf;
      leaf.function = builtin;
      leaf.module = module_->path;
      leaf.module_offset = *vaddr;
      leaf.inlined = leaf.by_hint = true;
      leaf.source = kElfSource;
      frames.push_back(std::move(leaf));
    }
    ResolvedFrame frame = frame_of(*function);
    frame.module = own ? kBuiltin : kInterpreted;
    frame.module_offset = *vaddr;
    frames.push_back(std::move(frame));
    return true;
  }

  static ResolvedFrame frame_of(const ScriptFunction& function) {
    ResolvedFrame frame;
    frame.function = function.name.empty() ? std::string(kUnnamedFunction) : function.name;
    frame.file = function.file;
    frame.line = function.line;
    frame.by_hint = true;
    frame.source = kV8Source;
    return frame;
  }

  const TargetView& target_;
  std::set<std::pair<std::uint64_t, std::uint64_t>> looked_at_;  // device, inode
  std::shared_ptr<Module> module_;
  std::uint64_t device_ = 0, inode_ = 0;
  std::uint64_t builtins_begin_ = 0, builtins_end_ = 0;  // offsets in the file, 0 = not known
  std::optional<V8Heap> heap_;
  std::string note_;
};

}  // namespace

std::unique_ptr<SymbolSource> make_v8_source(const TargetView& target) {
  return std::make_unique<V8Source>(target);
}

}  // namespace srvprof
