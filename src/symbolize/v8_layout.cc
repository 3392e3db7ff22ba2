#include "symbolize/v8_layout.h"

#include <optional>
#include <string_view>

#include "elf/constants.h"

namespace srvprof {
namespace {

using Constants = std::map<std::string, std::int32_t>;

// By the beginning of the name: what follows is a type, which changes with the version.
std::optional<std::int32_t> find(const Constants& constants, std::string_view beginning) {
  const auto it = constants.lower_bound(std::string(beginning));
  if (it == constants.end() || !it->first.starts_with(beginning)) return std::nullopt;
  return it->second;
}

struct Wanted {
  std::string_view name;
  std::string_view otherwise;  // its name in older versions, "" = none
  std::int32_t V8Layout::*member;
};

constexpr Wanted kWanted[] = {
    {"class_JSFunction__shared__", "", &V8Layout::function_shared},
    {"class_SharedFunctionInfo__name_or_scope_info__", "", &V8Layout::shared_name},
    {"class_SharedFunctionInfo__script__", "class_SharedFunctionInfo__script_or_debug_info__",
     &V8Layout::shared_script},
    {"class_Script__name__", "", &V8Layout::script_name},
    {"class_Script__source__", "", &V8Layout::script_source},
    {"class_Script__line_ends__", "", &V8Layout::script_line_ends},
    {"class_Map__instance_type__", "", &V8Layout::map_instance_type},
    {"class_String__length__", "", &V8Layout::string_length},
    {"class_SeqOneByteString__chars__", "", &V8Layout::one_byte_chars},
    {"class_SeqTwoByteString__chars__", "", &V8Layout::two_byte_chars},
    {"class_ConsString__first__", "", &V8Layout::cons_first},
    {"class_ConsString__second__", "", &V8Layout::cons_second},
    {"class_ThinString__actual__", "", &V8Layout::thin_actual},
    {"class_SlicedString__parent__", "", &V8Layout::sliced_parent},
    {"class_SlicedString__offset__", "", &V8Layout::sliced_offset},
    {"class_ExternalString__resource__", "", &V8Layout::external_resource},
    {"class_FixedArrayBase__length__", "class_FixedArray__length__", &V8Layout::array_length},
    {"class_FixedArray__data__", "", &V8Layout::array_data},
    {"type_SharedFunctionInfo__", "", &V8Layout::type_shared},
    {"type_Script__", "", &V8Layout::type_script},
    {"type_ScopeInfo__", "", &V8Layout::type_scope_info},
    {"type_FixedArray__", "", &V8Layout::type_fixed_array},
    {"FirstNonstringType", "", &V8Layout::first_nonstring},
    {"StringRepresentationMask", "", &V8Layout::representation_mask},
    {"OneByteStringTag", "", &V8Layout::one_byte_tag},
    {"ConsStringTag", "", &V8Layout::cons_tag},
    {"ExternalStringTag", "", &V8Layout::external_tag},
    {"SlicedStringTag", "", &V8Layout::sliced_tag},
    {"ThinStringTag", "", &V8Layout::thin_tag},
    {"scopeinfo_idx_ncontextlocals", "", &V8Layout::scope_locals},
    {"scopeinfo_idx_first_vars", "", &V8Layout::scope_names},
};

// Objects are a few hundred bytes at most: an offset beyond that is none.
constexpr std::int32_t kMaxConstant = 4096;

Error unknown(const std::string& why) {
  return Error{"reading V8's layout: " + why, "", ErrorKind::kFailed};
}

}  // namespace

Result<V8Layout> make_v8_layout(const Constants& constants) {
  if (constants.empty()) return unknown("the file exports none");
  // 63-bit tagged integers: the value is the upper half of the word.
  if (find(constants, "SmiShiftSize").value_or(31) != 31 ||
      find(constants, "TaggedSize").value_or(8) != 8 ||
      find(constants, "HeapObjectTag").value_or(1) != 1) {
    return unknown("pointers are compressed or tagged in an unknown way");
  }
  V8Layout layout;
  for (const Wanted& wanted : kWanted) {
    auto value = find(constants, wanted.name);
    if (!value && !wanted.otherwise.empty()) value = find(constants, wanted.otherwise);
    if (!value) return unknown("v8dbg_" + std::string(wanted.name) + " is missing");
    if (*value < 0 || *value > kMaxConstant) {
      return unknown("v8dbg_" + std::string(wanted.name) + " is out of range");
    }
    layout.*wanted.member = *value;
  }
  return layout;
}

Result<V8Layout> read_v8_layout(const ElfFile& elf) {
  return make_v8_layout(TRY(read_constants(elf, "v8dbg_")));
}

}  // namespace srvprof
