// jit-PID.dump, which the target's user has written.
#include "symbolize/jit_dump.h"

#include "fuzz.h"
#include "symbolize/perf_map.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  const JitDump dump = parse_jit_dump(fuzz::text_of(input), 0);
  for (const Symbol& s : dump.table.symbols) {
    fuzz::require(find_jit_symbol(dump.table, s.vaddr) != nullptr);
    const JitLine* line = find_jit_line(dump, s.vaddr, s.vaddr + s.size, s.vaddr);
    fuzz::require(line == nullptr || line->file < dump.files.size());
  }
}
