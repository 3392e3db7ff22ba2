// What is known of one language runtime, as data: one file each, and a line in all.cc.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"
#include "runtime/spans.h"
#include "target/maps.h"
#include "target/process.h"

namespace srvprof {

// What a process is made of: the facts that tell its runtimes apart. Nothing of it is written to.
struct Binary {
  ElfFile exe;
  std::string exported_names;  // .dynstr of the executable
  std::vector<std::string> mapped_files;
};

// What a thread of a runtime does: told by the beginning of its name, or by a function that its stacks
// go through. `role` is one of the model's words (trace/model.h): "collector", "compiler", "pool worker",
// "helper", "monitor".
struct ThreadHint {
  enum class By { kComm, kFunction };
  By by = By::kComm;
  std::string_view pattern, role, words;
};

struct Runtime {
  std::string_view name;  // "go"
  std::string_view doc;   // "Go: goroutines by R14, names by .gopclntab"
  // The evidence in words ("section .gopclntab"), "" if the process is not of this runtime.
  std::string (*detect)(const Binary& binary);
  // Where its garbage collections can be probed; null: it collects none.
  SpanPlan (*spans)(const SpanContext& context) = nullptr;
  std::span<const ThreadHint> threads{};
};

// Every known runtime; the last one is native code, which every process has.
std::span<const Runtime> all_runtimes();

struct DetectedRuntime {
  std::string name, evidence;
};

// The runtimes of a process (several are possible), "native" only if there is no other. Error if the
// executable cannot be read.
Result<std::vector<DetectedRuntime>> detect_runtimes(const ProcFs& fs, const ProcessInfo& process);

}  // namespace srvprof
