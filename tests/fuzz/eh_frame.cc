// .eh_frame of a hostile module, then a walk over a hostile stack by its rows.
#include <cstring>

#include "fuzz.h"
#include "unwind/eh_frame.h"
#include "unwind/walk.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  constexpr std::uint64_t kCode = 0x1000, kStack = 0x7000'0000;
  fuzz::Cutter cutter(input);
  const auto section = cutter.bytes(cutter.take<std::uint16_t>());
  const auto stack = cutter.rest();
  auto frame = parse_eh_frame(section, 0x9000);
  if (!frame.ok()) return;
  const ModuleRows rows = make_module_rows(std::move(*frame), kCode, 0x8000);
  for (std::uint64_t at = 0; at < rows.span; at += 61) (void)find_row(rows, at);
  const CodeRange range{kCode, kCode + rows.span, kCode, &rows, false};
  const ReadMemory read = [&](std::uint64_t address, void* to, std::size_t size) {
    const std::uint64_t from = address - kStack;
    if (from > stack.size() || size > stack.size() - from) return false;
    std::memcpy(to, stack.data() + from, size);
    return true;
  };
  for (const bool switches : {false, true}) {
    const StackWalk walk = walk_stack({kCode + 0x40, kStack, kStack + 64}, {&range, 1}, read, {127, switches});
    fuzz::require(walk.pcs.size() <= 127);
  }
}
