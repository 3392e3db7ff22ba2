// Typed indices: an Id<Tag> of one table cannot be used in another. Zero is "none".
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace srvprof {

template <class Tag>
struct Id {
  std::uint32_t value = 0;

  constexpr explicit operator bool() const { return value != 0; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

struct StringTag;
struct StackTag;
using StringId = Id<StringTag>;  // an entry of a StringTable
using StackId = Id<StackTag>;    // a stack of the recording

}  // namespace srvprof

template <class Tag>
struct std::hash<srvprof::Id<Tag>> {
  std::size_t operator()(srvprof::Id<Tag> id) const noexcept { return id.value; }
};
