// Where V8 keeps what: from the constants (v8dbg_*) that it exports for post-mortem debuggers. They
// survive strip, so no table of versions is needed.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "elf/elf_file.h"

namespace srvprof {

// Offsets are bytes from the address of an object, which is its tagged pointer less 1; indices of a
// scope info count 8-byte slots behind its map. Sources: V8's tools/gen-postmortem-metadata.py, and
// the values in Node 20, 24 and 26.
struct V8Layout {
  std::int32_t function_shared = 0;  // JSFunction -> SharedFunctionInfo
  std::int32_t shared_name = 0, shared_script = 0;  // the name is a String or a ScopeInfo
  std::int32_t script_name = 0, script_source = 0, script_line_ends = 0;
  std::int32_t map_instance_type = 0;               // u16
  std::int32_t array_length = 0, array_data = 0;    // the length is a Smi
  std::int32_t scope_locals = 0, scope_names = 0;   // indices: number of context locals, first name

  // Strings: the length is an i32, the offset of a slice a Smi; behind the resource of an external one is
  // the pointer to its characters.
  std::int32_t string_length = 0, one_byte_chars = 0, two_byte_chars = 0;
  std::int32_t cons_first = 0, cons_second = 0, thin_actual = 0;
  std::int32_t sliced_parent = 0, sliced_offset = 0, external_resource = 0;

  // Instance types, and how those of strings are put together.
  std::int32_t type_shared = 0, type_script = 0, type_scope_info = 0, type_fixed_array = 0;
  std::int32_t first_nonstring = 0, representation_mask = 0, one_byte_tag = 0;
  std::int32_t cons_tag = 0, external_tag = 0, sliced_tag = 0, thin_tag = 0;
};

// Error if `elf` has no V8, or one with another way of tagging pointers.
Result<V8Layout> read_v8_layout(const ElfFile& elf);

// From the constants without their "v8dbg_"; for tests.
Result<V8Layout> make_v8_layout(const std::map<std::string, std::int32_t>& constants);

}  // namespace srvprof
