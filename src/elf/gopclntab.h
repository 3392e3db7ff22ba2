// What the Go runtime keeps of its own functions in every binary, stripped or not: .gopclntab of Go 1.18
// and newer (runtime/symtab.go). Names, files, lines, inlined calls, and where functions return.
// The file may be hostile: every offset is checked, every loop is bounded, and what does not fit is
// left out. Addresses are those of the file (vaddr), not of a process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

struct GoTable {
  std::string bytes;              // the whole table
  std::uint64_t vaddr = 0;        // of bytes[0]
  std::uint64_t text = 0;         // what the entry offsets count from
  std::uint64_t functions = 0;
  std::uint64_t names = 0;        // offsets in `bytes`: function names
  std::uint64_t units = 0;        //   file numbers by compilation unit
  std::uint64_t files = 0;        //   file names
  std::uint64_t pc_values = 0;    //   tables "from this pc on, this value"
  std::uint64_t lookup = 0;       //   entries sorted by address, then the functions themselves
  bool has_start_line = false;    // layout of 1.20 and newer
  std::uint64_t funcdata = 0;     // address that funcdata counts from; 0: inlined calls are not known
  std::string version;            // "go1.26.1", "" if the build information is missing
};

// [entry, end); `name` lives as long as the table.
struct GoFunction {
  std::uint64_t entry = 0, end = 0;
  std::uint64_t record = 0;  // its offset in GoTable::bytes
  std::string_view name;
};

struct GoFrame {
  std::string_view function, file;  // live as long as the table; file is "" if not known
  std::uint32_t line = 0;           // 0 = not known
};

// Error: no such table (not a Go program, or one older than 1.18), malformed, above 512 MiB.
Result<GoTable> read_go_table(const ElfFile& elf);

std::optional<GoFunction> find_go_function(const GoTable& table, std::uint64_t pc);
// Looks at every function: for a few names. "runtime.gcStart"
std::optional<GoFunction> find_go_function(const GoTable& table, std::string_view name);

// The functions at `pc`, innermost first: inlined ones, then the one that holds them. Empty if the
// address is in no Go function. For a return address give the address before it.
// `elf` is the file of the table: inlined calls are kept elsewhere in it.
std::vector<GoFrame> go_frames(const GoTable& table, const ElfFile& elf, std::uint64_t pc);

// By how much the stack has grown since the entry; nothing if the table does not say.
std::optional<std::int32_t> go_stack_growth(const GoTable& table, const GoFunction& function,
                                            std::uint64_t pc);

// Addresses of the RET instructions of a function with a frame (x86-64). Told by the table, not by
// decoding: an epilogue ends where the growth becomes zero, and there the byte must be a RET. Empty for
// a function without a frame or of another architecture.
std::vector<std::uint64_t> go_return_sites(const GoTable& table, const ElfFile& elf,
                                           const GoFunction& function);

// "go1.26.1" from .go.buildinfo; "" if it is not there.
std::string read_go_version(const ElfFile& elf);

}  // namespace srvprof
