// Functions of JavaScriptCore (Bun), read from its heap while the target runs.
//
// JSC exports no layout, and it changes with the version. What is stable is how cells tell their kind
// (byte 5 of their first word) and how they point to each other; so the offsets are found on the
// first functions that are met, by looking where a cell of the right kind or a string is.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "symbolize/script_function.h"
#include "target/memory.h"

namespace srvprof {

// Kinds of cells (JSC's JSType): the first of the list, which have not changed for years.
inline constexpr std::uint8_t kJscNativeExecutable = 8;
inline constexpr std::uint8_t kJscFunctionExecutable = 12;
inline constexpr std::uint8_t kJscUnlinkedFunction = 13;

class JscHeap {
 public:
  explicit JscHeap(MemoryReader memory) : memory_(std::move(memory)) {}

  // The function of a frame's hint: an executable, or a callee with rare data in between. Null if it
  // is none now, or too little is known of the layout. Valid until the next call.
  const ScriptFunction* function(std::uint64_t hint);

  // What function() last found for this hint, without looking again.
  const ScriptFunction* last_function(std::uint64_t hint) const;

 private:
  // At which offset something was found how often. The best one is believed; the others were found by
  // chance, or in a few functions only.
  class Votes {
   public:
    void add(std::uint32_t offset) { ++count_[offset]; }
    std::optional<std::uint32_t> best() const;
    // One that was found at least half as often as the best one.
    std::optional<std::uint32_t> second() const;

   private:
    std::map<std::uint32_t, std::uint32_t> count_;
  };
  static constexpr std::size_t kWords = 24;  // of a cell that are looked at
  using Cell = std::array<std::uint64_t, kWords>;

  struct Entry {
    std::uint64_t executable = 0;  // the words that tell this function from another at its address
    std::uint64_t unlinked = 0;
    ScriptFunction function;
  };

  std::optional<std::uint64_t> executable_of(std::uint64_t hint) const;
  std::optional<ScriptFunction> read_native(const Cell& executable);
  std::optional<ScriptFunction> read_function(const Cell& executable, std::uint64_t unlinked);
  std::optional<std::uint64_t> unlinked_of(const Cell& executable);
  std::optional<std::string> name_in(const Cell& cell, Votes& votes);
  std::string file_of(const Cell& executable);
  std::uint8_t type_of(std::uint64_t cell) const;
  std::optional<std::string> read_string(std::uint64_t impl, std::size_t max_chars) const;
  Cell read_cell(std::uint64_t address) const;

  MemoryReader memory_;
  Votes unlinked_, name_, native_name_, provider_, url_;
  std::unordered_map<std::uint64_t, Entry> functions_;
};

}  // namespace srvprof
