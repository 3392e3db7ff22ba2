#include "symbolize/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/parse.h"
#include "symbolize/rust_demangle.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxMangled = 2048;
constexpr double kMaxExpanded = 16e6;  // bytes

// Back references (S_, S0_, T_) repeat earlier parts, so a short hostile name can expand to
// gigabytes. With n of them the worst is a chain that triples the text at every third.
bool expands_too_far(std::string_view name) {
  std::size_t references = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] != 'S' && name[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < name.size() &&
           ((name[end] >= '0' && name[end] <= '9') || (name[end] >= 'A' && name[end] <= 'Z'))) {
      ++end;
    }
    if (end < name.size() && name[end] == '_') ++references;
  }
  const double own = static_cast<double>(name.size());
  return own * std::pow(3.0, static_cast<double>(references) / 3.0) > kMaxExpanded;
}

bool is_rust_hash(std::string_view part) {
  return part.size() == 17 && part[0] == 'h' &&
         std::all_of(part.begin() + 1, part.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// The text that "$XX$" at the front of `rest` stands for, taken off; nothing if it is none.
std::optional<std::string> take_rust_escape(std::string_view& rest) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kEscapes{{
      {"$SP$", "@"},
      {"$BP$", "*"},
      {"$RF$", "&"},
      {"$LT$", "<"},
      {"$GT$", ">"},
      {"$LP$", "("},
      {"$RP$", ")"},
      {"$C$", ","},
  }};
  for (const auto& [escape, text] : kEscapes) {
    if (!rest.starts_with(escape)) continue;
    rest.remove_prefix(escape.size());
    return std::string(text);
  }
  const auto end = rest.find('$', 1);
  if (!rest.starts_with("$u") || end == std::string_view::npos) return std::nullopt;
  const auto code = parse_number<unsigned>(rest.substr(2, end - 2), 16);
  if (!code || *code < 0x20 || *code > 0x7e) return std::nullopt;
  rest.remove_prefix(end + 1);
  return std::string(1, static_cast<char>(*code));
}

std::string decode_rust_part(std::string_view part) {
  if (part.starts_with("_$")) part.remove_prefix(1);
  std::string out;
  while (!part.empty()) {
    if (part.starts_with("..")) {
      out += "::";
      part.remove_prefix(2);
    } else if (auto text = take_rust_escape(part)) {
      out += *text;
    } else {
      out += part[0];
      part.remove_prefix(1);
    }
  }
  return out;
}

// _ZN<length><part>...<17>h<16 hex digits>E[.suffix]
std::optional<std::string> demangle_rust_legacy(std::string_view name) {
  if (!name.starts_with("_ZN")) return std::nullopt;
  name.remove_prefix(3);
  std::string out;
  std::string_view part;
  while (!name.empty() && name[0] != 'E') {
    const auto digits = std::min(name.find_first_not_of("0123456789"), name.size());
    const auto length = parse_number<std::size_t>(name.substr(0, digits));
    if (!length || *length == 0 || *length > name.size() - digits) return std::nullopt;
    if (!part.empty()) out += (out.empty() ? "" : "::") + decode_rust_part(part);
    part = name.substr(digits, *length);
    name.remove_prefix(digits + *length);
  }
  if (name.empty() || !is_rust_hash(part) || out.empty()) return std::nullopt;
  return out;
}

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string demangle(std::string_view name) {
  if (name.starts_with("_R") && name.size() <= kMaxMangled) {
    if (auto rust = demangle_rust_v0(name)) return std::move(*rust);
    return std::string(name);
  }
  const bool cxx = name.starts_with("_Z") || name.starts_with("__Z");
  if (!cxx || name.size() > kMaxMangled || expands_too_far(name)) return std::string(name);
  if (auto rust = demangle_rust_legacy(name)) return std::move(*rust);
  const std::string terminated(name);
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(terminated.c_str(), nullptr, nullptr, &status));
  return status == 0 && text != nullptr ? std::string(text.get()) : terminated;
}

}  // namespace srvprof
