// /tmp/perf-PID.map, which anybody may have written.
#include "symbolize/perf_map.h"

#include "fuzz.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  const SymbolTable table = parse_perf_map(fuzz::text_of(input));
  for (const Symbol& s : table.symbols) {
    fuzz::require(s.size != 0);
    const Symbol* found = find_jit_symbol(table, s.vaddr);
    fuzz::require(found != nullptr && symbol_name(table, *found).size() <= kMaxSymbolName);
  }
}
