// Numbers strings: the same string gets the same StringId. Kept apart from the strings themselves,
// which live in Trace::strings, so that millions of distinct paths cost one copy and four bytes
// each.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"

namespace srvprof {

class StringIntern {
 public:
  // `strings` must outlive this; its first entry becomes "" (StringId 0).
  explicit StringIntern(std::vector<std::string>& strings) : strings_(strings), slots_(1024) {
    if (strings_.empty()) strings_.emplace_back();
  }

  StringId intern(std::string_view s) {
    if (s.empty()) return {};
    std::size_t i = slot_of(s);
    if (slots_[i] != 0) return {slots_[i]};
    const auto id = static_cast<std::uint32_t>(strings_.size());
    strings_.emplace_back(s);
    slots_[i] = id;
    if (strings_.size() * 2 > slots_.size()) grow();
    return {id};
  }

 private:
  // Open addressing; the size is a power of two and at most half of the slots are taken.
  std::size_t slot_of(std::string_view s) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = std::hash<std::string_view>{}(s)&mask;
    while (slots_[i] != 0 && strings_[slots_[i]] != s) i = (i + 1) & mask;
    return i;
  }

  void grow() {
    slots_.assign(slots_.size() * 2, 0);
    for (std::uint32_t id = 1; id < strings_.size(); ++id) slots_[slot_of(strings_[id])] = id;
  }

  std::vector<std::string>& strings_;
  std::vector<std::uint32_t> slots_;
};

}  // namespace srvprof
