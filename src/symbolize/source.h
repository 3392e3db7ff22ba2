// The seam between the question "what is at this address?" and those who can answer it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "target/maps.h"
#include "target/proc_fs.h"
#include "target/process.h"

namespace srvprof {

class ModuleCache;

// What an address means. Text from the target is hostile: escape before printing.
struct ResolvedFrame {
  std::string function;  // demangled; "" = not known, print module+0xmodule_offset
  std::string module;  // path as the target sees it, or "[kernel]", "[vdso]", "[anon]", "[unknown]"
  std::uint64_t module_offset = 0;  // ELF virtual address; file offset, or distance from the start
                                    // of an anonymous mapping, where there is none
  std::string file;         // "" = not known
  std::uint32_t line = 0;   // 0 = not known
  bool inlined = false;     // into the frame that follows
  bool by_hint = false;     // with another hint, the same address means something else
  std::string_view source;  // name of the SymbolSource that answered, "module" if none did
};

// The target as sources see it. It outlives them; `maps` is replaced when mappings are read again.
struct TargetView {
  ProcFs fs;
  ProcessInfo process;
  Fd root;  // may be invalid: then files cannot be opened by path
  std::vector<MemoryMapping> maps;
  std::shared_ptr<ModuleCache> modules;
};

// mapping: the one that holds pc; null for kernel addresses and unmapped ones. hint: what the frame
// itself says of its function (rows::Stack), 0 = nothing; it may be any number.
struct Question {
  std::uint64_t pc = 0;
  bool kernel = false;
  const MemoryMapping* mapping = nullptr;
  std::uint64_t hint = 0;
};

class SymbolSource {
 public:
  virtual ~SymbolSource() = default;
  // Appends frames, innermost first, and returns true; or leaves `frames` alone and returns false.
  virtual bool resolve(const Question& question, std::vector<ResolvedFrame>& frames) = 0;
  // The mappings were read again.
  virtual void refresh() {}
  // Reads what `hint` means now, since the target may move it before the frame is resolved.
  virtual void learn(std::uint64_t /*hint*/) {}
  // The target's garbage collector moved objects: what was learnt holds no more.
  virtual void forget() {}
  // What this source could not read, and why: for the coverage section of a report.
  virtual std::vector<std::string> notes() const { return {}; }
};

// name appears in recordings; `what` is one line for people.
struct SymbolSourceEntry {
  std::string_view name;
  std::string_view what;
  std::unique_ptr<SymbolSource> (*make)(const TargetView& target);
};

// Every source, in the order in which they are asked (all.cc).
std::span<const SymbolSourceEntry> symbol_sources();

std::unique_ptr<SymbolSource> make_v8_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_jsc_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_python_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_go_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_kernel_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_vdso_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_elf_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_jit_dump_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_perf_map_source(const TargetView& target);
std::unique_ptr<SymbolSource> make_unread_source(const TargetView& target);

inline constexpr std::string_view kKernelSource = "kallsyms";
inline constexpr std::string_view kVdsoSource = "vdso";
inline constexpr std::string_view kElfSource = "elf";
inline constexpr std::string_view kV8Source = "v8";
inline constexpr std::string_view kJscSource = "jsc";
inline constexpr std::string_view kPythonSource = "python";
inline constexpr std::string_view kGoSource = "go";
inline constexpr std::string_view kJitDumpSource = "jitdump";
inline constexpr std::string_view kPerfMapSource = "perf-map";
inline constexpr std::string_view kUnreadSource = "unread";
inline constexpr std::string_view kNoSource = "module";

}  // namespace srvprof
