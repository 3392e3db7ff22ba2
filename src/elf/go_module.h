// The runtime's moduledata: where a Go program says where its text and its funcdata begin.
#pragma once

#include "elf/gopclntab.h"

namespace srvprof::detail {

// Fills `text` and `funcdata` of a table whose header is read. Since 1.27 the header's own text start is
// 0, and in a position-independent binary it is relocated: moduledata has it in every version. What is
// not found stays as it is.
void read_go_module(const ElfFile& elf, GoTable& table);

// The bytes at [vaddr, vaddr + size) as they are after the relative relocations.
Result<std::string> read_relocated(const ElfFile& elf, std::uint64_t vaddr, std::uint64_t size,
                                   std::uint64_t limit);

// Where the offsets of funcdata entry `index` stand in the table, or nothing if it has none.
std::optional<std::uint32_t> go_funcdata(const GoTable& table, const GoFunction& function,
                                         unsigned index);
// Value of pcdata table `index` at `pc`; -1 = none. Takes what it needs off `steps`, and gives up at 0.
std::int32_t go_pcdata(const GoTable& table, const GoFunction& function, unsigned index,
                       std::uint64_t pc, int& steps);

// One inlined call of a function's tree.
struct InlinedCall {
  std::int32_t name = 0;     // offset in the names
  std::int32_t call_pc = 0;  // offset from the entry, of an instruction at the call's position
};
std::optional<InlinedCall> read_inlined_call(const GoTable& table, const ElfFile& elf,
                                             std::uint64_t tree, std::int32_t index);

inline constexpr unsigned kInlineTreeIndex = 2;  // PCDATA_InlTreeIndex
inline constexpr unsigned kInlineTree = 3;       // FUNCDATA_InlTree

template <class T>
std::optional<T> load(std::string_view bytes, std::uint64_t at) {
  if (at > bytes.size() || bytes.size() - at < sizeof(T)) return std::nullopt;
  T value;
  __builtin_memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

}  // namespace srvprof::detail
