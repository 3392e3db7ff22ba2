#include "base/escape.h"

#include <cstddef>

namespace srvprof {
namespace {

constexpr char kHex[] = "0123456789abcdef";

// Length of the well-formed UTF-8 sequence at s[i] of a code point >= U+00A0 (C1 controls excluded),
// or 0 (RFC 3629, table 3-7 of the Unicode standard cut to what matters here).
std::size_t utf8_length(std::string_view s, std::size_t i) {
  auto at = [&](std::size_t k) { return k < s.size() ? static_cast<unsigned char>(s[k]) : 0u; };
  auto tail = [&](std::size_t k) { return (at(k) & 0xc0u) == 0x80u; };
  const unsigned b0 = at(i), b1 = at(i + 1);
  if (b0 == 0xc2 && tail(i + 1)) return b1 >= 0xa0 ? 2 : 0;
  if (b0 >= 0xc3 && b0 <= 0xdf && tail(i + 1)) return 2;
  if (b0 >= 0xe0 && b0 <= 0xef && tail(i + 1) && tail(i + 2)) {
    if (b0 == 0xe0 && b1 < 0xa0) return 0;
    if (b0 == 0xed && b1 >= 0xa0) return 0;
    // Bidirectional and separator controls U+2028..202F, U+2066..206F can disguise text.
    if (b0 == 0xe2 && b1 == 0x80 && at(i + 2) >= 0xa8 && at(i + 2) <= 0xaf) return 0;
    if (b0 == 0xe2 && b1 == 0x81 && at(i + 2) >= 0xa6 && at(i + 2) <= 0xaf) return 0;
    return 3;
  }
  if (b0 >= 0xf0 && b0 <= 0xf4 && tail(i + 1) && tail(i + 2) && tail(i + 3)) {
    if (b0 == 0xf0 && b1 < 0x90) return 0;
    if (b0 == 0xf4 && b1 >= 0x90) return 0;
    return 4;
  }
  return 0;
}

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

std::string escape_text(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size();) {
    const auto c = static_cast<unsigned char>(s[i]);
    if (c == '\\') {
      out += "\\\\";
      ++i;
    } else if (c >= 0x20 && c < 0x7f) {
      out += s[i++];
    } else if (std::size_t n = c >= 0x80 ? utf8_length(s, i) : 0; n != 0) {
      out += s.substr(i, n);
      i += n;
    } else {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 15];
      ++i;
    }
  }
  return out;
}

std::string unescape_text(std::string_view s) {
  std::string out;
  out.reserve(s.size());
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\\' && i + 1 < s.size() && s[i + 1] == '\\') {
      out += '\\';
      ++i;
    } else if (s[i] == '\\' && i + 3 < s.size() && s[i + 1] == 'x' && hex_value(s[i + 2]) >= 0 &&
               hex_value(s[i + 3]) >= 0) {
      out += static_cast<char>(hex_value(s[i + 2]) * 16 + hex_value(s[i + 3]));
      i += 3;
    } else {
      out += s[i];
    }
  }
  return out;
}

}  // namespace srvprof
