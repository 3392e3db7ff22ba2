// A little JavaScriptCore heap in a MemoryImage, with the offsets of a version of Bun.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "memory_image.h"
#include "symbolize/jsc_heap.h"

namespace srvprof {

struct JscOffsets {
  std::size_t unlinked = 80, name = 64, native_name = 64, rare_executable = 48, url = 24;
};

class JscImage : public MemoryImage {
 public:
  explicit JscImage(JscOffsets offsets = {}) : offsets_(offsets) {}

  std::uint64_t cell(std::uint8_t type, std::size_t bytes = 192) {
    const auto at = allocate(bytes);
    put(at, std::uint64_t{type} << 40 | 0x1234);
    return at;
  }
  std::uint64_t string(std::string_view text) {
    const auto chars = allocate(text.size() + 1), impl = allocate(24);
    put_text(chars, text);
    put<std::uint32_t>(impl, 2);
    put(impl + 4, static_cast<std::uint32_t>(text.size()));
    put(impl + 8, chars);
    put<std::uint32_t>(impl + 16, 0x5500 | 4);
    return impl;
  }
  std::uint64_t wide_string(std::u16string_view text) {
    const auto impl = string({reinterpret_cast<const char*>(text.data()), 2 * text.size()});
    put(impl + 4, static_cast<std::uint32_t>(text.size()));
    put<std::uint32_t>(impl + 16, 0x5500);
    return impl;
  }
  // name: a string, 0 = there is none.
  std::uint64_t function_executable(std::uint64_t name, std::uint64_t url = 0) {
    const auto unlinked = cell(kJscUnlinkedFunction), executable = cell(kJscFunctionExecutable);
    put(unlinked + offsets_.name, name);
    put(executable + offsets_.unlinked, unlinked);
    put(executable + 176, cell(18));  // code block
    if (url != 0) {
      const auto provider = allocate(192);
      put(provider + offsets_.url, url);
      put(executable + 40, provider);
    }
    return executable;
  }
  std::uint64_t native_executable(std::uint64_t name) {
    const auto executable = cell(kJscNativeExecutable);
    put(executable + offsets_.native_name, name);
    return executable;
  }
  std::uint64_t function(std::uint64_t executable, bool rare = false) {
    const auto callee = cell(36);
    put(callee + 24, executable);
    if (rare) {
      const auto data = cell(40);
      put(data + offsets_.rare_executable, executable);
      put(callee + 24, data | 1);
    }
    return callee;
  }

 private:
  JscOffsets offsets_;
};

}  // namespace srvprof
