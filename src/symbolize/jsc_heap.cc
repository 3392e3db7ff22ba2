#include "symbolize/jsc_heap.h"

#include <algorithm>
#include <span>

namespace srvprof {
namespace {

constexpr std::size_t kMaxFunctions = 100'000;
constexpr std::uint64_t kRareFlag = 1;  // the pointer to the executable is one to rare data
// Bytes into a JSFunction: its executable or rare data, behind header, butterfly and scope.
constexpr std::uint64_t kExecutableOffset = 24;
// Where name and file can be, in words: behind the header and the entry points.
constexpr std::size_t kFirstWord = 4;
constexpr std::uint32_t kEightBit = 4;  // StringImpl::s_hashFlag8BitBuffer
constexpr std::uint32_t kMaxLength = 1 << 20;

struct StringHead {
  std::uint32_t references = 0;
  std::uint32_t length = 0;
  std::uint64_t data = 0;
  std::uint32_t flags = 0;
  std::uint32_t pad = 0;
};

bool is_pointer(std::uint64_t word) {
  return word >= 0x1000 && word < (std::uint64_t{1} << 47) && word % 8 == 0;
}

bool is_text(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= 0x20; });
}

bool is_location(std::string_view text) {
  for (const std::string_view start : {"/", "file:", "builtin:", "node:", "bun:", "internal:", "["}) {
    if (text.starts_with(start)) return true;
  }
  return false;
}

}  // namespace

std::optional<std::uint32_t> JscHeap::Votes::best() const {
  const auto most = std::max_element(count_.begin(), count_.end(), [](const auto& a, const auto& b) {
    return a.second < b.second;
  });
  if (most == count_.end()) return std::nullopt;
  return most->first;
}

std::optional<std::uint32_t> JscHeap::Votes::second() const {
  const auto first = best();
  if (!first) return std::nullopt;
  std::optional<std::uint32_t> found;
  std::uint32_t most = (count_.at(*first) + 1) / 2;
  for (const auto& [offset, n] : count_) {
    if (offset == *first || n < most) continue;
    found = offset;
    most = n + 1;
  }
  return found;
}

std::uint8_t JscHeap::type_of(std::uint64_t cell) const {
  if (!is_pointer(cell)) return 0;
  return static_cast<std::uint8_t>(read_value<std::uint64_t>(memory_, cell).value_or(0) >> 40);
}

JscHeap::Cell JscHeap::read_cell(std::uint64_t address) const {
  Cell cell{};
  read_words(memory_, address, cell);
  return cell;
}

// A StringImpl with text in it; "" for the empty one.
std::optional<std::string> JscHeap::read_string(std::uint64_t impl, std::size_t max_chars) const {
  if (!is_pointer(impl)) return std::nullopt;
  const auto head = read_value<StringHead>(memory_, impl);
  if (!head || head->references == 0 || head->length > kMaxLength) return std::nullopt;
  if (head->length == 0) return std::string();
  if (head->data < 0x1000) return std::nullopt;
  const std::size_t n = std::min<std::size_t>(head->length, max_chars);
  std::string text;
  if ((head->flags & kEightBit) != 0) {
    std::string chars(n, '\0');
    if (!memory_(head->data, std::as_writable_bytes(std::span(chars)))) return std::nullopt;
    text = utf8_of_latin1(chars);
  } else {
    std::u16string chars(n, u'\0');
    if (!memory_(head->data, std::as_writable_bytes(std::span(chars)))) return std::nullopt;
    text = utf8_of_utf16(chars);
  }
  if (!is_text(text)) return std::nullopt;
  return text;
}

std::optional<std::uint64_t> JscHeap::executable_of(std::uint64_t hint) const {
  const auto is_executable = [this](std::uint64_t cell) {
    const std::uint8_t type = type_of(cell);
    return type == kJscFunctionExecutable || type == kJscNativeExecutable;
  };
  if (is_executable(hint)) return hint;
  if (!is_pointer(hint)) return std::nullopt;
  const auto word = read_value<std::uint64_t>(memory_, hint + kExecutableOffset);
  if (!word) return std::nullopt;
  if ((*word & kRareFlag) == 0) return is_executable(*word) ? word : std::nullopt;
  const Cell rare = read_cell(*word & ~std::uint64_t{7});
  const auto found = std::find_if(rare.begin() + 1, rare.begin() + 12, is_executable);
  if (found == rare.begin() + 12) return std::nullopt;
  return *found;
}

std::optional<std::uint64_t> JscHeap::unlinked_of(const Cell& executable) {
  for (std::size_t i = kFirstWord; i < executable.size(); ++i) {
    if (type_of(executable[i]) == kJscUnlinkedFunction) unlinked_.add(static_cast<std::uint32_t>(i));
  }
  const auto at = unlinked_.best();
  if (!at || type_of(executable[*at]) != kJscUnlinkedFunction) return std::nullopt;
  return executable[*at];
}

// The string at the offset at which most cells of this kind have one. A function without a name has none
// or the empty one there; versions with two names (its own, and the one that scripts see) may have
// either.
std::optional<std::string> JscHeap::name_in(const Cell& cell, Votes& votes) {
  for (std::size_t i = kFirstWord; i < cell.size(); ++i) {
    const auto text = read_string(cell[i], kMaxScriptName);
    if (text && !text->empty()) votes.add(static_cast<std::uint32_t>(i));
  }
  const auto at = votes.best();
  if (!at) return std::nullopt;
  std::optional<std::string> name;
  name = cell[*at] == 0 ? std::string() : read_string(cell[*at], kMaxScriptName);
  if (!name || !name->empty()) return name;
  const auto other = votes.second();
  if (!other || cell[*other] == 0) return name;
  return read_string(cell[*other], kMaxScriptName);
}

// Executables point to the provider of their source, which knows its URL.
std::string JscHeap::file_of(const Cell& executable) {
  constexpr std::size_t kLastWord = 10;
  for (std::size_t i = kFirstWord; i < kLastWord; ++i) {
    if (!is_pointer(executable[i])) continue;
    const Cell provider = read_cell(executable[i]);
    for (std::size_t k = 1; k < kLastWord; ++k) {
      const auto text = read_string(provider[k], kMaxScriptFile);
      if (!text || !is_location(*text)) continue;
      provider_.add(static_cast<std::uint32_t>(i));
      url_.add(static_cast<std::uint32_t>(k));
    }
  }
  const auto at = provider_.best(), url = url_.best();
  if (!at || !url || !is_pointer(executable[*at])) return {};
  const auto text = read_string(read_cell(executable[*at])[*url], kMaxScriptFile);
  return text && is_location(*text) ? path_of_url(*text) : std::string();
}

std::optional<ScriptFunction> JscHeap::read_native(const Cell& executable) {
  auto name = name_in(executable, native_name_);
  if (!name) return std::nullopt;
  ScriptFunction function;
  function.name = std::move(*name);
  return function;
}

std::optional<ScriptFunction> JscHeap::read_function(const Cell& executable, std::uint64_t unlinked) {
  auto name = name_in(read_cell(unlinked), name_);
  if (!name) return std::nullopt;
  ScriptFunction function;
  function.name = std::move(*name);
  function.file = file_of(executable);
  return function;
}

const ScriptFunction* JscHeap::function(std::uint64_t hint) {
  const auto address = executable_of(hint);
  if (!address) return nullptr;
  const bool native = type_of(*address) == kJscNativeExecutable;
  const Cell executable = read_cell(*address);
  const auto unlinked = native ? std::optional(executable[kFirstWord]) : unlinked_of(executable);
  if (!unlinked) return nullptr;
  const auto it = functions_.find(hint);
  if (it != functions_.end() && it->second.executable == *address && it->second.unlinked == *unlinked) {
    return &it->second.function;
  }
  auto read = native ? read_native(executable) : read_function(executable, *unlinked);
  if (!read) return nullptr;
  if (functions_.size() >= kMaxFunctions) functions_.clear();
  return &functions_.insert_or_assign(hint, Entry{*address, *unlinked, std::move(*read)})
              .first->second.function;
}

const ScriptFunction* JscHeap::last_function(std::uint64_t hint) const {
  const auto it = functions_.find(hint);
  return it != functions_.end() ? &it->second.function : nullptr;
}

}  // namespace srvprof
