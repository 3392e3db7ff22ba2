// Functions of V8 read from a hostile heap: the address of a function, then pieces of memory.
#include "fuzz.h"
#include "symbolize/v8_heap.h"
#include "v8_image.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  fuzz::Cutter cutter(input);
  const bool old = cutter.take<std::uint8_t>() % 2 != 0;
  const auto shared = cutter.take<std::uint64_t>();
  const fuzz::Memory memory(cutter.rest());
  static const V8Layout kLayouts[] = {*make_v8_layout(v8_constants(false)), *make_v8_layout(v8_constants(true))};
  V8Heap heap(kLayouts[old ? 1 : 0], memory.reader());
  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t at : {shared, shared + 8, shared ^ 1}) {
      const ScriptFunction* f = heap.function(at);
      if (f == nullptr) continue;
      fuzz::require(f->name.size() <= 4 * kMaxScriptName && f->file.size() <= 4 * kMaxScriptFile);
      fuzz::require(heap.last_function(at) != nullptr);
    }
    heap.forget();
  }
}
