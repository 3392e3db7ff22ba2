#include "symbolize/python_code.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace srvprof {
namespace {

constexpr std::size_t kMaxFunctions = 100'000;
constexpr std::int64_t kMaxLength = 1 << 20;

// Bits of a text's state: interned (2), kind (3: bytes of a character), compact, ASCII. The same since 3.3.
constexpr std::uint32_t kCompact = 1u << 5, kAscii = 1u << 6;
constexpr std::uint32_t kind_of(std::uint32_t state) { return state >> 2 & 7; }

template <class Char>
std::optional<std::basic_string<Char>> read_chars(const MemoryReader& memory, std::uint64_t at, std::size_t n) {
  std::basic_string<Char> chars(n, Char{});
  if (!memory(at, std::as_writable_bytes(std::span(chars)))) return std::nullopt;
  return chars;
}

}  // namespace

std::optional<PythonCode::Words> PythonCode::read_words(std::uint64_t code) const {
  if (code == 0 || code % 8 != 0) return std::nullopt;
  const auto type = read_value<std::uint64_t>(memory_, code + layout_.object_type);
  const auto name = read_value<std::uint64_t>(memory_, code + layout_.code_name);
  const auto file = read_value<std::uint64_t>(memory_, code + layout_.code_file);
  const auto line = read_value<std::uint32_t>(memory_, code + layout_.code_line);
  if (!type || !name || !file || !line) return std::nullopt;
  return Words{*type, *name, *file, *line};
}

bool PythonCode::is_code_type(std::uint64_t type) {
  if (code_type_ != 0) return type == code_type_;
  const auto name = read_value<std::uint64_t>(memory_, type + layout_.type_name);
  constexpr char kName[] = "code";
  char text[sizeof kName] = {};
  if (!name || !memory_(*name, std::as_writable_bytes(std::span(text))) || std::memcmp(text, kName, sizeof kName) != 0) {
    return false;
  }
  code_type_ = type;
  return true;
}

std::optional<std::string> PythonCode::read_text(std::uint64_t text, std::size_t max_chars) const {
  const auto length = read_value<std::int64_t>(memory_, text + layout_.text_length);
  const auto state = read_value<std::uint32_t>(memory_, text + layout_.text_state);
  if (!length || !state || *length < 0 || *length > kMaxLength || (*state & kCompact) == 0) return std::nullopt;
  const std::size_t n = std::min(static_cast<std::size_t>(*length), max_chars);
  const std::uint64_t at = text + ((*state & kAscii) != 0 ? layout_.text_ascii : layout_.text_other);
  switch (kind_of(*state)) {
    case 1:
      if (const auto chars = read_chars<char>(memory_, at, n)) return utf8_of_latin1(*chars);
      break;
    case 2:
      if (const auto chars = read_chars<char16_t>(memory_, at, n)) return utf8_of_utf16(*chars);
      break;
    case 4:
      if (const auto chars = read_chars<char32_t>(memory_, at, n)) return utf8_of_utf32(*chars);
      break;
    default: break;
  }
  return std::nullopt;
}

const ScriptFunction* PythonCode::function(std::uint64_t code) {
  const auto words = read_words(code);
  if (!words || !is_code_type((*words)[0])) return nullptr;
  const auto it = functions_.find(code);
  if (it != functions_.end() && it->second.words == *words) return &it->second.function;
  auto name = read_text((*words)[1], kMaxScriptName);
  auto file = read_text((*words)[2], kMaxScriptFile);
  if (!name || !file) return nullptr;
  if (functions_.size() >= kMaxFunctions) functions_.clear();
  ScriptFunction function{std::move(*name), std::move(*file), static_cast<std::uint32_t>((*words)[3])};
  return &functions_.insert_or_assign(code, Entry{*words, std::move(function)}).first->second.function;
}

const ScriptFunction* PythonCode::last_function(std::uint64_t code) const {
  const auto it = functions_.find(code);
  return it != functions_.end() ? &it->second.function : nullptr;
}

}  // namespace srvprof
