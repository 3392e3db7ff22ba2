// The ELF files that targets map, each read once: shared by the symbolizers of several processes.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "elf/elf_file.h"
#include "elf/symbols.h"
#include "symbolize/dwarf.h"

namespace srvprof {

// One mapped file. Its descriptor stays open, so that symbols can be read after the target has
// ended.
struct Module {
  std::string path;  // as the target sees it
  ElfFile elf;
  Fd root;              // the target's root, where its debug file is looked for
  bool loaded = false;  // `symbols` is valid
  SymbolTable symbols;
  std::string origin;   // "symtab", "dynsym", "debug file <path>", "" = none
  std::string why_not;  // what could not be read; "" = all well
  std::uint64_t last_use = 0;
  std::optional<ElfFile> debug;       // its debug file, once `symbols` were read from it
  bool looked_for_lines = false;      // `lines` is what there is
  std::unique_ptr<DwarfLines> lines;  // null = no debug information, or too much of it
};

class ModuleCache {
 public:
  // Symbols of all modules together stay below `max_bytes`: the least recently used go first and
  // are read again when they are asked for.
  explicit ModuleCache(std::size_t max_bytes = std::size_t{160} << 20) : max_bytes_(max_bytes) {}

  // The module of an open file, by its device, inode and time of change. Error if it is no ELF
  // file.
  Result<std::shared_ptr<Module>> open(Fd fd, const std::string& path, const Fd& root);

  // The module's symbols, read at the first call; empty when there are none.
  const SymbolTable& symbols(Module& module);

  // Its lines and inlined calls, or null: debug information of at most 128 MiB is read, of all
  // modules together, that of the first ones which are asked about.
  DwarfLines* lines(Module& module);

  // Memory that the loaded symbols take.
  std::size_t bytes() const;

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::int64_t, std::int64_t>;

  void make_room(std::size_t needed, const Module& keep);

  std::size_t max_bytes_;
  std::uint64_t uses_ = 0;
  std::uint64_t debug_bytes_ = 0;
  std::map<Key, std::shared_ptr<Module>> modules_;
};

}  // namespace srvprof
