// Functions of JavaScriptCore read from a hostile heap: the addresses of functions, then pieces of memory.
#include "fuzz.h"
#include "symbolize/jsc_heap.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  fuzz::Cutter cutter(input);
  const std::uint64_t hints[] = {cutter.take<std::uint64_t>(), cutter.take<std::uint64_t>(),
                                 cutter.take<std::uint64_t>()};
  const fuzz::Memory memory(cutter.rest());
  JscHeap heap(memory.reader());
  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t hint : hints) {
      const ScriptFunction* f = heap.function(hint);
      if (f == nullptr) continue;
      fuzz::require(f->name.size() <= 4 * kMaxScriptName && f->file.size() <= 4 * kMaxScriptFile);
    }
  }
}
