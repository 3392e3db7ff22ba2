// A little V8 heap in a MemoryImage.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "memory_image.h"
#include "symbolize/v8_layout.h"

namespace srvprof {

// What Node 24 exports, or with `old` what Node 20 does.
inline std::map<std::string, std::int32_t> v8_constants(bool old = false) {
  return {{"class_JSFunction__shared__SharedFunctionInfo", old ? 24 : 32},
          {"class_SharedFunctionInfo__name_or_scope_info__Object", old ? 16 : 24},
          {old ? "class_SharedFunctionInfo__script_or_debug_info__HeapObject"
               : "class_SharedFunctionInfo__script__Tagged_HeapObject_",
           old ? 32 : 40},
          {"class_Script__name__Object", 16},
          {"class_Script__source__Object", 8},
          {"class_Script__line_ends__Object", 56},
          {"class_Map__instance_type__uint16_t", 12},
          {"class_String__length__int32_t", 12},
          {"class_SeqOneByteString__chars__char", 16},
          {"class_SeqTwoByteString__chars__char", 16},
          {"class_ConsString__first__String", 16},
          {"class_ConsString__second__String", 24},
          {"class_ThinString__actual__String", 16},
          {"class_SlicedString__parent__String", 16},
          {"class_SlicedString__offset__SMI", 24},
          {"class_ExternalString__resource__Object", 16},
          {"class_FixedArrayBase__length__SMI", 8},
          {"class_FixedArray__data__uintptr_t", 16},
          {"type_SharedFunctionInfo__SHARED_FUNCTION_INFO_TYPE", old ? 262 : 282},
          {"type_Script__SCRIPT_TYPE", 167},
          {"type_ScopeInfo__SCOPE_INFO_TYPE", old ? 261 : 280},
          {"type_FixedArray__FIXED_ARRAY_TYPE", old ? 175 : 205},
          {"FirstNonstringType", 128},
          {"StringRepresentationMask", 7},
          {"OneByteStringTag", 8},
          {"ConsStringTag", 1},
          {"ExternalStringTag", 2},
          {"SlicedStringTag", 3},
          {"ThinStringTag", 5},
          {"scopeinfo_idx_ncontextlocals", 2},
          {"scopeinfo_idx_first_vars", old ? 3 : 5},
          {"SmiShiftSize", 31},
          {"HeapObjectTag", 1}};
}

class V8Image : public MemoryImage {
 public:
  explicit V8Image(bool old = false) : old_(old), layout(*make_v8_layout(v8_constants(old))) {}

  static std::uint64_t smi(std::int32_t value) {
    return static_cast<std::uint64_t>(std::int64_t{value} << 32);
  }
  // All return tagged pointers.
  std::uint64_t object(std::int32_t type, const std::vector<std::uint64_t>& slots,
                       std::size_t extra = 0) {
    std::uint64_t& map = maps_[type];
    if (map == 0) {
      map = allocate(32) + 1;
      put<std::uint64_t>(map - 1, map);
      put(map - 1 + 12, static_cast<std::uint16_t>(type));
    }
    const std::uint64_t at = allocate(8 + 8 * slots.size() + extra);
    put(at, map);
    for (std::size_t i = 0; i < slots.size(); ++i) put(at + 8 + 8 * i, slots[i]);
    return at + 1;
  }
  static std::uint64_t hash_and_length(std::size_t length) { return std::uint64_t{length} << 32 | 3; }
  std::uint64_t string(std::string_view text) {
    const auto at = object(8, {hash_and_length(text.size())}, text.size());
    put_text(at - 1 + 16, text);
    return at;
  }
  std::uint64_t wide_string(std::u16string_view text) {
    const auto at = object(0, {hash_and_length(text.size())}, 2 * text.size());
    put_text(at - 1 + 16, {reinterpret_cast<const char*>(text.data()), 2 * text.size()});
    return at;
  }
  std::uint64_t cons(std::size_t length, std::uint64_t first, std::uint64_t second) {
    return object(9, {hash_and_length(length), first, second});
  }
  std::uint64_t sliced(std::size_t length, std::uint64_t parent, std::int32_t from) {
    return object(11, {hash_and_length(length), parent, smi(from)});
  }
  std::uint64_t thin(std::size_t length, std::uint64_t actual) {
    return object(13, {hash_and_length(length), actual});
  }
  std::uint64_t external(std::string_view text) {
    const auto chars = allocate(text.size());
    put_text(chars, text);
    return object(10, {hash_and_length(text.size()), 0, chars});
  }
  std::uint64_t array(const std::vector<std::int32_t>& values) {
    std::vector<std::uint64_t> slots{smi(static_cast<std::int32_t>(values.size()))};
    for (const auto v : values) slots.push_back(smi(v));
    return object(layout.type_fixed_array, slots);
  }
  std::uint64_t script(std::uint64_t name, std::uint64_t source, std::uint64_t line_ends) {
    return object(layout.type_script, {source, name, 0, 0, 0, 0, line_ends});
  }
  // name, inferred: strings, 0 = there is none.
  std::uint64_t scope(std::int32_t locals, std::int32_t start, std::uint64_t name,
                      std::uint64_t inferred) {
    std::vector<std::uint64_t> slots{smi(1), smi(0), smi(locals)};
    if (!old_) slots.insert(slots.end(), {smi(start), smi(start + 20)});
    const std::int32_t names = locals < 75 ? locals : 1;
    for (std::int32_t i = 0; i < names; ++i) slots.push_back(string("local"));
    for (std::int32_t i = 0; i < locals; ++i) slots.push_back(smi(i));
    if (name != 0) slots.insert(slots.end(), {name, smi(4)});
    if (inferred != 0) slots.push_back(inferred);
    if (old_) slots.insert(slots.end(), {smi(start), smi(start + 20)});
    slots.push_back(object(layout.type_scope_info, {smi(1), smi(0), smi(0), 0, 0, 0, 0, 0}));  // outer scope
    return object(layout.type_scope_info, slots);
  }
  std::uint64_t shared(std::uint64_t name_or_scope, std::uint64_t script) {
    std::vector<std::uint64_t> slots(6, 0);
    slots[static_cast<std::size_t>(layout.shared_name) / 8 - 1] = name_or_scope;
    slots[static_cast<std::size_t>(layout.shared_script) / 8 - 1] = script;
    return object(layout.type_shared, slots);
  }

 private:
  bool old_;
  std::map<std::int32_t, std::uint64_t> maps_;

 public:
  const V8Layout layout;
};

}  // namespace srvprof
