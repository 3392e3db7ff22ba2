// A Go program's table of functions, with the moduledata that tells where it begins. The input is the
// image: two bytes say where its writable part begins, four where the table does.
#include "elf/gopclntab.h"

#include "fuzz.h"
#include "unwind/go_rows.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  fuzz::Cutter cutter(input);
  const auto data_at = cutter.take<std::uint16_t>();
  const auto table_at = cutter.take<std::uint16_t>();
  ElfFile elf = fuzz::program_of(std::string(fuzz::text_of(cutter.rest())), data_at);
  elf.sections.push_back({".gopclntab", 1, 0, 0x400000 + std::uint64_t{table_at}, table_at,
                          elf.size > table_at ? elf.size - table_at : 0});
  (void)go_rows(elf, 100'000);
  const auto table = read_go_table(elf);
  if (!table.ok()) return;
  (void)find_go_function(*table, std::string_view("runtime.gcStart"));
  for (std::uint64_t pc = table->text; pc < table->text + 0x100; pc += 9) {
    const auto f = find_go_function(*table, pc);
    if (f) fuzz::require(f->entry <= pc && pc < f->end);
    fuzz::require(go_frames(*table, elf, pc).size() <= 65);
    if (!f) continue;
    (void)go_stack_growth(*table, *f, pc);
    for (const std::uint64_t site : go_return_sites(*table, elf, *f)) fuzz::require(site >= f->entry);
  }
}
