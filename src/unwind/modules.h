// The code of the files that processes map, each read once: shared by all processes of a recording.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/fd.h"
#include "elf/elf_file.h"
#include "target/maps.h"
#include "target/proc_fs.h"
#include "unwind/code_map.h"

namespace srvprof {

struct CodeModule {
  std::string path;  // as the process sees it
  ElfFile elf;       // its headers; the descriptor is closed
  ModuleRows rows;   // empty where there is no .eh_frame, or it cannot be used
  std::optional<std::uint32_t> v8_shared;  // see v8_shared_offset()
  std::string why_not;                     // why there are no rows; "" where there are none to expect
};

class CodeModules {
 public:
  // At most `max_rows` rows in all modules together: what is met later has none, and says why.
  CodeModules(ProcFs fs, std::size_t max_rows) : fs_(std::move(fs)), max_rows_(max_rows) {}

  // The module behind a mapping of a file, or the vdso. Null if it cannot be opened or is no ELF file.
  const CodeModule* find(pid_t pid, const Fd& root, const MemoryMapping& mapping);

  std::size_t rows() const { return rows_; }
  const std::vector<std::unique_ptr<CodeModule>>& all() const { return modules_; }

 private:
  using Key = std::tuple<std::uint64_t, std::uint64_t, std::string>;  // device, inode, path
  void take_rows(CodeModule& module);
  std::unique_ptr<CodeModule> read(pid_t pid, const Fd& root, const MemoryMapping& mapping);

  ProcFs fs_;
  std::size_t max_rows_ = 0, rows_ = 0;
  std::map<Key, const CodeModule*> known_;
  std::vector<std::unique_ptr<CodeModule>> modules_;
};

}  // namespace srvprof
