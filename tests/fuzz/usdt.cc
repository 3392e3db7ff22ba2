// Notes of USDT probes, and the words of their arguments.
#include "elf/usdt.h"

#include "fuzz.h"

using namespace srvprof;

SRVPROF_FUZZ(input) {
  ElfFile elf = fuzz::program_of(std::string(fuzz::text_of(input)), input.size());
  elf.sections.push_back({".note.stapsdt", 7, 0, 0, 0, elf.size});
  elf.sections.push_back({".stapsdt.base", 1, 0, 0x400100, 0, 1});
  (void)read_usdt(elf);
  for (const std::uint16_t machine : {std::uint16_t{62}, std::uint16_t{183}}) {
    for (const ArgumentPlace& place : parse_usdt_arguments(fuzz::text_of(input), machine)) {
      fuzz::require(place.size == 1 || place.size == 2 || place.size == 4 || place.size == 8);
    }
  }
}
