// Lines and inlined calls of native code, from its debug information (DWARF, by libdw).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "elf/elf_file.h"

namespace srvprof {

struct DwarfCall {
  std::string function;    // as in the source, with its namespaces where that is known; "" = not known
  std::string file;        // "" = not known
  std::uint32_t line = 0;  // of the code, or of the call that the call before it was inlined at
};

class DwarfLines {
 public:
  // Null if the file has no debug information. The descriptor of `elf` is duplicated.
  static std::unique_ptr<DwarfLines> open(const ElfFile& elf);
  ~DwarfLines();

  // The calls at an address of the file, innermost first: inlined ones, then the function that holds
  // the code. Empty if nothing is known of it. After some seconds of work in all nothing more is
  // looked up: debug information can be slow to search, and may be made to be so.
  std::vector<DwarfCall> at(std::uint64_t vaddr);
  bool exhausted() const;

 private:
  class State;
  explicit DwarfLines(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace srvprof
