// Functions of CPython by the address of their code object, read while the target runs. Code objects do not
// move, but may be freed and their place used again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "symbolize/python_layout.h"
#include "symbolize/script_function.h"
#include "target/memory.h"

namespace srvprof {

class PythonCode {
 public:
  PythonCode(const PythonLayout& layout, MemoryReader memory)
      : layout_(layout), memory_(std::move(memory)) {}

  // The function of a code object, or null if there is none at that address now. Valid until the next call.
  const ScriptFunction* function(std::uint64_t code);
  // What function() last found at this address, without looking again.
  const ScriptFunction* last_function(std::uint64_t code) const;

 private:
  using Words = std::array<std::uint64_t, 4>;  // type, name, file, line: what tells one code from another
  struct Entry {
    Words words{};
    ScriptFunction function;
  };

  std::optional<Words> read_words(std::uint64_t code) const;
  bool is_code_type(std::uint64_t type);
  std::optional<std::string> read_text(std::uint64_t text, std::size_t max_chars) const;

  PythonLayout layout_;
  MemoryReader memory_;
  std::uint64_t code_type_ = 0;  // address of the type of code objects, once it is known
  std::unordered_map<std::uint64_t, Entry> functions_;
};

}  // namespace srvprof
