#include "symbolize/v8_heap.h"

#include <algorithm>
#include <limits>
#include <span>

#include "symbolize/v8_string.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxFunctions = 100'000;
constexpr std::size_t kMaxScripts = 20'000;
constexpr std::size_t kMaxLines = 8'000'000;          // of all scripts: 32 MB
constexpr std::size_t kMaxLinesOfScript = 2'000'000;
constexpr std::uint32_t kMaxSource = 32u << 20;       // characters that are searched for line ends
constexpr std::int32_t kMaxLocals = 1'000'000;
// From this number on, a scope's names lie in a hash table, which takes one slot
// (kScopeInfoMaxInlinedLocalNamesSize).
constexpr std::int32_t kInlinedNames = 75;
// Since V8 12 the position stands before the names, in slots 3 and 4.
constexpr std::int32_t kNamesBehindPosition = 5, kPositionSlot = 3;
// Behind the names and infos of a scope: class variable, function name, its slot, inferred name,
// begin, end, outer scope. Not all of them are there.
constexpr std::size_t kTail = 8;

using Slots = std::array<std::uint64_t, kTail>;

// Slots of an object from `index` on; those that cannot be read are 0.
Slots read_slots(const MemoryReader& memory, std::uint64_t tagged, std::uint64_t index) {
  Slots slots{};
  read_words(memory, tagged - 1 + 8 + 8 * index, slots);
  return slots;
}

// Where begin and end stand behind the names: two Smis in a row, then the outer scope.
std::int32_t position_in(const Slots& slots) {
  for (std::size_t i = 0; i + 2 < slots.size(); ++i) {
    const bool pair = is_v8_smi(slots[i]) && is_v8_smi(slots[i + 1]);
    if (pair && is_v8_object(slots[i + 2]) && v8_smi(slots[i]) <= v8_smi(slots[i + 1])) {
      return v8_smi(slots[i]);
    }
  }
  return -1;
}

}  // namespace

std::optional<V8Heap::Words> V8Heap::read_words(std::uint64_t shared) const {
  if (!is_v8_object(shared)) return std::nullopt;
  Words words{};
  const std::int32_t offsets[] = {0, layout_.shared_name, layout_.shared_script};
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = v8_field(memory_, shared, offsets[i]);
    if (!word) return std::nullopt;
    words[i] = *word;
  }
  return words;
}

const ScriptFunction* V8Heap::function(std::uint64_t shared) {
  const auto words = read_words(shared);
  if (!words) return nullptr;
  const auto it = functions_.find(shared);
  if (it != functions_.end() && it->second.generation == generation_ && it->second.words == *words) {
    return &it->second.function;
  }
  if (v8_type(layout_, memory_, shared) != layout_.type_shared) return nullptr;
  auto read = read_function(*words);
  if (!read) return nullptr;
  make_room();
  return &functions_.insert_or_assign(shared, Entry{*words, generation_, std::move(*read)})
              .first->second.function;
}

const ScriptFunction* V8Heap::last_function(std::uint64_t shared) const {
  const auto it = functions_.find(shared);
  return it != functions_.end() ? &it->second.function : nullptr;
}

std::optional<ScriptFunction> V8Heap::read_function(const Words& words) {
  const auto [map, name, script_word] = words;
  ScriptFunction function;
  Scope scope;
  if (is_v8_object(name)) {
    if (auto text = v8_text(layout_, memory_, name, kMaxScriptName)) {
      scope.name = std::move(*text);
    } else if (auto read = read_scope(name)) {
      scope = std::move(*read);
    } else {
      return std::nullopt;  // torn: a later look may find it whole
    }
  }
  function.name = std::move(scope.name);
  if (Script* found = script(script_word)) {
    function.file = found->file;
    if (scope.start >= 0) function.line = line_of(script_word, *found, scope.start);
  }
  return function;
}

std::optional<V8Heap::Scope> V8Heap::read_scope(std::uint64_t info) const {
  if (v8_type(layout_, memory_, info) != layout_.type_scope_info) return std::nullopt;
  const Slots head = read_slots(memory_, info, 0);
  const auto at = static_cast<std::size_t>(layout_.scope_locals);
  if (at >= head.size() || !is_v8_smi(head[at])) return std::nullopt;
  const std::int32_t locals = v8_smi(head[at]);
  if (locals < 0 || locals > kMaxLocals) return std::nullopt;
  const std::int32_t names = locals < kInlinedNames ? locals : 1;
  const std::int32_t tail = layout_.scope_names + names + locals;
  const Slots slots = read_slots(memory_, info, static_cast<std::uint64_t>(tail));
  Scope scope;
  for (const std::uint64_t slot : slots) {
    if (is_v8_smi(slot)) continue;
    auto text = v8_text(layout_, memory_, slot, kMaxScriptName);
    if (!text) break;  // the outer scope, or what lies behind this object
    if (text->empty()) continue;
    scope.name = std::move(*text);
    break;
  }
  if (layout_.scope_names < kNamesBehindPosition) {
    scope.start = position_in(slots);
  } else if (is_v8_smi(head[kPositionSlot])) {
    scope.start = v8_smi(head[kPositionSlot]);
  }
  return scope;
}

V8Heap::Script* V8Heap::script(std::uint64_t tagged) {
  // Functions of V8 itself have none, and while a debugger is attached another object is in between.
  if (v8_type(layout_, memory_, tagged) != layout_.type_script) return nullptr;
  const auto name = v8_field(memory_, tagged, layout_.script_name);
  const auto source = v8_field(memory_, tagged, layout_.script_source);
  if (!name || !source) return nullptr;
  if (const auto it = scripts_.find(tagged); it != scripts_.end()) {
    const Script& known = it->second;
    if (known.generation == generation_ && known.name == *name && known.source == *source) {
      return &it->second;
    }
    lines_ -= it->second.line_ends.size();
    scripts_.erase(it);
  }
  Script script;
  script.name = *name;
  script.source = *source;
  script.generation = generation_;
  if (auto file = v8_text(layout_, memory_, *name, kMaxScriptFile)) {
    script.file = path_of_url(std::move(*file));
  }
  return &scripts_.emplace(tagged, std::move(script)).first->second;
}

// V8 itself keeps the line ends of scripts for which it once needed them; else they are counted.
void V8Heap::read_lines(std::uint64_t tagged, Script& script) {
  script.has_lines = true;
  const auto ends = v8_field(memory_, tagged, layout_.script_line_ends);
  const bool array =
      ends && is_v8_object(*ends) && v8_type(layout_, memory_, *ends) == layout_.type_fixed_array;
  const auto length = array ? v8_field(memory_, *ends, layout_.array_length) : std::nullopt;
  if (length && is_v8_smi(*length) && v8_smi(*length) > 0 &&
      v8_smi(*length) <= static_cast<std::int32_t>(kMaxLinesOfScript)) {
    std::vector<std::uint64_t> smis(static_cast<std::size_t>(v8_smi(*length)));
    const std::uint64_t data = *ends - 1 + static_cast<std::uint64_t>(layout_.array_data);
    if (memory_(data, std::as_writable_bytes(std::span(smis)))) {
      for (const std::uint64_t smi : smis) {
        script.line_ends.push_back(static_cast<std::uint32_t>(v8_smi(smi)));
      }
    }
  }
  if (script.line_ends.empty()) {
    auto counted = v8_line_ends(layout_, memory_, script.source, kMaxSource, kMaxLinesOfScript);
    if (counted) script.line_ends = std::move(*counted);
  }
  // What is not ascending is torn or no list of lines.
  if (!std::is_sorted(script.line_ends.begin(), script.line_ends.end())) script.line_ends.clear();
  lines_ += script.line_ends.size();
}

std::uint32_t V8Heap::line_of(std::uint64_t tagged, Script& script, std::int32_t position) {
  if (!script.has_lines) read_lines(tagged, script);
  const auto& ends = script.line_ends;
  const auto it = std::lower_bound(ends.begin(), ends.end(), static_cast<std::uint32_t>(position));
  return it == ends.end() ? 0 : static_cast<std::uint32_t>(it - ends.begin()) + 1;
}

void V8Heap::make_room() {
  if (functions_.size() < kMaxFunctions && scripts_.size() < kMaxScripts && lines_ < kMaxLines) return;
  functions_.clear();
  scripts_.clear();
  lines_ = 0;
}

}  // namespace srvprof
