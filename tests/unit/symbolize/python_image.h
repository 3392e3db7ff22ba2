// A little CPython heap in a MemoryImage.
#pragma once

#include <cstdint>
#include <string_view>

#include "memory_image.h"
#include "symbolize/python_layout.h"

namespace srvprof {

class PythonImage : public MemoryImage {
 public:
  explicit PythonImage(const PythonLayout& layout) : layout_(layout), type_(allocate(64)) {
    const auto name = allocate(16);
    put_text(name, "code");
    put(type_ + layout_.type_name, name);
  }
  // In ASCII, or with `kind` bytes a character, given as they lie in memory.
  std::uint64_t text(std::string_view chars, std::uint32_t kind = 1, bool ascii = true) {
    const std::uint64_t head = ascii ? layout_.text_ascii : layout_.text_other;
    const auto at = allocate(head + chars.size() + 4);
    put<std::uint64_t>(at + layout_.text_length, chars.size() / kind);
    put(at + layout_.text_state, kind << 2 | 1u << 5 | (ascii ? 1u << 6 : 0));
    put_text(at + head, chars);
    return at;
  }
  std::uint64_t code(std::uint64_t name, std::uint64_t file, std::uint32_t line) {
    const auto at = allocate(192);
    put(at + layout_.object_type, type_);
    put(at + layout_.code_name, name);
    put(at + layout_.code_file, file);
    put(at + layout_.code_line, line);
    return at;
  }

 private:
  PythonLayout layout_;
  std::uint64_t type_;
};

}  // namespace srvprof
