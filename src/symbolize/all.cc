// The list of symbol sources. A new one is a file with a make function and a line here.
#include "symbolize/source.h"

namespace srvprof {

std::span<const SymbolSourceEntry> symbol_sources() {
  static constexpr SymbolSourceEntry kSources[] = {
      {kUnreadSource, "tells of runtimes whose functions have no source here", make_unread_source},
      {kKernelSource, "functions of the kernel and its modules", make_kernel_source},
      {kV8Source, "JavaScript functions of V8 (Node.js), read from its heap", make_v8_source},
      {kJscSource, "JavaScript functions of JavaScriptCore (Bun), read from its heap", make_jsc_source},
      {kPythonSource, "functions of CPython 3.11 to 3.13, read from its code objects", make_python_source},
      {kVdsoSource, "functions that the kernel maps into every process", make_vdso_source},
      {kGoSource, "functions of Go programs, stripped or not, by .gopclntab", make_go_source},
      {kElfSource, "symbol tables of programs and libraries, or of their debug files",
       make_elf_source},
      {kJitDumpSource, "JIT code that the runtime lists in jit-PID.dump", make_jit_dump_source},
      {kPerfMapSource, "JIT code that the runtime lists in /tmp/perf-PID.map",
       make_perf_map_source},
  };
  return kSources;
}

}  // namespace srvprof
