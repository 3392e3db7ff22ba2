// JavaScript functions by the address of their SharedFunctionInfo, read from V8's heap while the
// target runs.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "symbolize/script_function.h"
#include "symbolize/v8_layout.h"
#include "target/memory.h"

namespace srvprof {

class V8Heap {
 public:
  V8Heap(const V8Layout& layout, MemoryReader memory)
      : layout_(layout), memory_(std::move(memory)) {}

  // The function of a tagged SharedFunctionInfo pointer, or null if none is there now. Valid until
  // the next call. Results are kept by address; each time it is looked whether the words that they
  // were made from are still there.
  const ScriptFunction* function(std::uint64_t shared);

  // What function() last found at this address, without looking again: the function that was there
  // when its frame was seen, even if it has been moved since. Null if it found none.
  const ScriptFunction* last_function(std::uint64_t shared) const;

  // Objects were moved: function() reads everything again.
  void forget() { ++generation_; }

 private:
  using Words = std::array<std::uint64_t, 3>;  // map, name or scope info, script

  struct Entry {
    Words words{};
    std::uint64_t generation = 0;
    ScriptFunction function;
  };
  struct Script {
    std::uint64_t name = 0, source = 0;  // tells a script from another at the same address
    std::uint64_t generation = 0;
    std::string file;
    bool has_lines = false;
    std::vector<std::uint32_t> line_ends;
  };
  struct Scope {
    std::string name;
    std::int32_t start = -1;  // character in the script's source, -1 = not known
  };

  std::optional<Words> read_words(std::uint64_t shared) const;
  std::optional<ScriptFunction> read_function(const Words& words);
  std::optional<Scope> read_scope(std::uint64_t info) const;
  Script* script(std::uint64_t tagged);
  void read_lines(std::uint64_t tagged, Script& script);
  std::uint32_t line_of(std::uint64_t tagged, Script& script, std::int32_t position);
  void make_room();

  V8Layout layout_;
  MemoryReader memory_;
  std::unordered_map<std::uint64_t, Entry> functions_;
  std::unordered_map<std::uint64_t, Script> scripts_;
  std::size_t lines_ = 0;         // of all scripts
  std::uint64_t generation_ = 0;  // number of times that objects were moved
};

}  // namespace srvprof
