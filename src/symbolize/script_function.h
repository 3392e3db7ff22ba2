// A function of a scripting language, as its runtime describes it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace srvprof {

// Hostile text, in UTF-8. `line` is where the function begins, not where it was executing.
struct ScriptFunction {
  std::string name;        // "" = it has none
  std::string file;        // path or URL; "" = built in, or evaluated text
  std::uint32_t line = 0;  // from 1 on, 0 = not known
};

// Longer names and file names are cut, in characters.
inline constexpr std::size_t kMaxScriptName = 512;
inline constexpr std::size_t kMaxScriptFile = 4096;

// A function that has no name is printed as this.
inline constexpr std::string_view kUnnamedFunction = "(anonymous)";

// The encodings that runtimes keep text in. Lone surrogates, and what is no
// character, become U+FFFD.
std::string utf8_of_latin1(std::string_view text);
std::string utf8_of_utf16(std::u16string_view text);
std::string utf8_of_utf32(std::u32string_view text);

// "/app/x.mjs" for "file:///app/x.mjs"; other texts as they are.
std::string path_of_url(std::string url);

}  // namespace srvprof
