// A hostile program: its headers, symbols, constants, notes, debug file, strings, and its unwind tables.
#include "elf/elf_file.h"

#include <elf.h>

#include "elf/constants.h"
#include "elf/debug_file.h"
#include "elf/gopclntab.h"
#include "elf/string_xref.h"
#include "elf/symbol_search.h"
#include "elf/symbols.h"
#include "elf/usdt.h"
#include "fuzz.h"
#include "symbolize/v8_layout.h"
#include "unwind/eh_frame.h"
#include "unwind/hints.h"

using namespace srvprof;

namespace {

void look_for_text(const ElfFile& elf) {
  const auto at = find_text(elf, "FATAL: world already stopped.\n");
  (void)find_references(elf, {at.value_or(0x401000), 0x401010}, at.has_value());
}

}  // namespace

SRVPROF_FUZZ(input) {
  const auto elf = open_elf_image(std::string(fuzz::text_of(input)));
  if (!elf.ok()) return;
  for (const ElfSegment& s : elf->segments) {
    if (const auto offset = vaddr_to_offset(*elf, s.vaddr)) (void)offset_to_vaddr(*elf, *offset);
  }
  const auto symbols = read_symbols(*elf);
  if (symbols.ok()) {
    for (const Symbol& s : symbols->symbols) fuzz::require(find_symbol(*symbols, s.vaddr) != nullptr);
    for (const Symbol& s : symbols->symbols) fuzz::require(symbol_name(*symbols, s).size() <= kMaxSymbolName);
  }
  (void)read_constants(*elf, "v8dbg_");
  (void)read_v8_layout(*elf);
  (void)v8_shared_offset(*elf);
  constexpr std::string_view kPrefixes[] = {"_ZN2v8", "gc_", ""};
  (void)find_functions(*elf, kPrefixes);
  for (const std::string& path : debug_file_candidates(*elf, "/usr/bin/x")) {
    fuzz::require(path.find("/../") == std::string::npos);
  }
  (void)is_debug_file_of(*elf, *elf);
  (void)read_usdt(*elf);
  (void)read_go_table(*elf);
  (void)read_module_rows(*elf);
  look_for_text(*elf);
}
