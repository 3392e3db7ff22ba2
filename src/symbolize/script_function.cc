#include "symbolize/script_function.h"

namespace srvprof {
namespace {

void append_utf8(std::string& out, char32_t c) {
  const auto put = [&out](char32_t byte) { out += static_cast<char>(byte); };
  if (c < 0x80) {
    put(c);
  } else if (c < 0x800) {
    put(0xc0 | (c >> 6));
    put(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    put(0xe0 | (c >> 12));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  } else {
    put(0xf0 | (c >> 18));
    put(0x80 | ((c >> 12) & 0x3f));
    put(0x80 | ((c >> 6) & 0x3f));
    put(0x80 | (c & 0x3f));
  }
}

}  // namespace

std::string utf8_of_latin1(std::string_view text) {
  std::string out;
  for (const char c : text) append_utf8(out, static_cast<unsigned char>(c));
  return out;
}

std::string utf8_of_utf16(std::u16string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char32_t c = text[i];
    const bool high = c >= 0xd800 && c < 0xdc00, low = c >= 0xdc00 && c < 0xe000;
    if (high && i + 1 < text.size() && text[i + 1] >= 0xdc00 && text[i + 1] < 0xe000) {
      c = 0x10000 + ((c - 0xd800) << 10) + (text[++i] - 0xdc00u);
    } else if (high || low) {
      c = 0xfffd;
    }
    append_utf8(out, c);
  }
  return out;
}

std::string utf8_of_utf32(std::u32string_view text) {
  std::string out;
  for (const char32_t c : text) {
    const bool character = c < 0xd800 || (c >= 0xe000 && c < 0x110000);
    append_utf8(out, character ? c : 0xfffd);
  }
  return out;
}

std::string path_of_url(std::string url) {
  constexpr std::string_view kFile = "file://";
  if (url.starts_with(kFile)) url.erase(0, kFile.size());
  return url;
}

}  // namespace srvprof
