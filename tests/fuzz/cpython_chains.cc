// Functions of CPython read from hostile memory: the version, the addresses of code objects and of what the
// runtime publishes, then pieces of memory.
#include "fuzz.h"
#include "symbolize/python_code.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  fuzz::Cutter cutter(input);
  const auto version = cutter.take<std::uint8_t>();
  const std::uint64_t codes[] = {cutter.take<std::uint64_t>(), cutter.take<std::uint64_t>()};
  const auto runtime = cutter.take<std::uint64_t>();
  const fuzz::Memory memory(cutter.rest());
  auto layout = python_layout(std::uint32_t{version} << 16 | 0x03000000);
  if (!layout) {
    auto published = read_python_layout(memory.reader(), runtime);
    if (!published.ok()) return;
    layout = *published;
  }
  PythonCode reader(*layout, memory.reader());
  for (int round = 0; round < 2; ++round) {
    for (const std::uint64_t code : codes) {
      const ScriptFunction* f = reader.function(code);
      if (f == nullptr) continue;
      fuzz::require(f->name.size() <= 4 * kMaxScriptName && f->file.size() <= 4 * kMaxScriptFile);
      fuzz::require(reader.last_function(code) != nullptr);
    }
  }
}
