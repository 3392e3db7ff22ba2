#include "symbolize/modules.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>

#include "base/escape.h"
#include "elf/debug_file.h"
#include "target/open.h"

namespace srvprof {
namespace {

// Reading needs a few times the size of the symbol section for a moment; larger files are left out.
constexpr SymbolLimits kLimits{.symbol_bytes = std::uint64_t{96} << 20,
                               .string_bytes = std::uint64_t{256} << 20,
                               .name_bytes = std::uint64_t{256} << 20};

constexpr std::uint64_t kMaxDebugBytes = std::uint64_t{128} << 20;

// Assigning an empty string keeps the memory of the old one; swapping gives it back.
void drop(SymbolTable& table) {
  SymbolTable empty;
  std::swap(table.symbols, empty.symbols);
  table.names.swap(empty.names);
}

bool has_symtab(const ElfFile& elf) { return find_section(elf, ".symtab") != nullptr; }

// In the target's root first, then in ours: a debug package installed on the host serves
// containers.
Result<ElfFile> open_candidate(const Module& module, const std::string& path, bool host) {
  if (host) return open_elf(path);
  Fd fd = TRY(open_in_root(module.root, path, Links::kInsideRoot));
  return open_elf(std::move(fd));
}

bool read_debug_file(Module& module) {
  for (const bool host : {false, true}) {
    for (const auto& path : debug_file_candidates(module.elf, module.path)) {
      auto debug = open_candidate(module, path, host);
      if (!debug.ok() || !has_symtab(*debug) || !is_debug_file_of(*debug, module.elf)) continue;
      auto symbols = read_symbols(*debug, kLimits);
      if (!symbols.ok() || symbols->symbols.empty()) continue;
      module.symbols = std::move(*symbols);
      module.origin = "debug file " + path;
      module.debug = std::move(*debug);
      return true;
    }
  }
  return false;
}

void read_module(Module& module) {
  module.why_not.clear();
  if (!has_symtab(module.elf) && read_debug_file(module)) return;
  auto symbols = read_symbols(module.elf, kLimits);
  if (!symbols.ok()) {
    module.why_not = symbols.error().what;
    return;
  }
  module.symbols = std::move(*symbols);
  if (module.symbols.symbols.empty()) {
    module.why_not = "it is stripped and has no debug file";
  } else {
    module.origin = has_symtab(module.elf) ? "symtab" : "dynsym";
  }
}

}  // namespace

Result<std::shared_ptr<Module>> ModuleCache::open(Fd fd, const std::string& path, const Fd& root) {
  struct stat st {};
  if (::fstat(fd.get(), &st) != 0) return errno_error("opening " + escape_text(path), errno);
  const Key key{st.st_dev, st.st_ino, st.st_mtim.tv_sec, st.st_mtim.tv_nsec};
  if (const auto it = modules_.find(key); it != modules_.end()) return it->second;
  auto module = std::make_shared<Module>();
  module->path = path;
  module->elf = TRY(open_elf(std::move(fd)));
  if (root.valid()) module->root.reset(::fcntl(root.get(), F_DUPFD_CLOEXEC, 0));
  modules_.emplace(key, module);
  return module;
}

const SymbolTable& ModuleCache::symbols(Module& module) {
  module.last_use = ++uses_;
  if (module.loaded) return module.symbols;
  module.loaded = true;
  read_module(module);
  const std::size_t needed = memory_bytes(module.symbols);
  if (needed > max_bytes_) {
    drop(module.symbols);
    module.why_not = "its symbols need " + std::to_string(needed >> 20) + " MiB of memory";
  } else {
    make_room(needed, module);
  }
  return module.symbols;
}

DwarfLines* ModuleCache::lines(Module& module) {
  if (module.looked_for_lines) return module.lines.get();
  module.looked_for_lines = true;
  symbols(module);  // finds the debug file
  const ElfFile& elf = module.debug ? *module.debug : module.elf;
  std::uint64_t size = 0;
  for (const ElfSection& s : elf.sections) {
    if (s.name.starts_with(".debug_")) size += s.size;
  }
  if (size == 0) return nullptr;
  if (size > kMaxDebugBytes - debug_bytes_) {
    module.why_not = "its debug information is too large: no lines and no inlined calls";
    return nullptr;
  }
  module.lines = DwarfLines::open(elf);
  if (module.lines != nullptr) debug_bytes_ += size;
  return module.lines.get();
}

std::size_t ModuleCache::bytes() const {
  std::size_t sum = 0;
  for (const auto& [key, module] : modules_) sum += memory_bytes(module->symbols);
  return sum;
}

void ModuleCache::make_room(std::size_t needed, const Module& keep) {
  while (bytes() > max_bytes_ && needed <= max_bytes_) {
    Module* oldest = nullptr;
    for (const auto& [key, module] : modules_) {
      if (module.get() == &keep || !module->loaded || module->symbols.symbols.empty()) continue;
      if (oldest == nullptr || module->last_use < oldest->last_use) oldest = module.get();
    }
    if (oldest == nullptr) return;
    drop(oldest->symbols);
    oldest->loaded = false;
  }
}

}  // namespace srvprof
