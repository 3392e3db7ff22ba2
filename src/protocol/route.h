// Paths -> routes: what stands for an id in a path is folded, so that requests of one handler count
// as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace srvprof {

// "/items/42" -> "/items/:id". Folded are, by segment (and by the parts of a segment between dots):
// numbers, UUIDs, 16 and more hexadecimal digits, letters and digits mixed from 8 characters on,
// long base64-like tokens, e-mail addresses; of "name-123" the number. Path parameters
// (";jsessionid=...") are dropped; percent escapes are kept as sent. A path that was cut loses its
// last segment ("...").
std::string fold_path(std::string_view path, bool path_cut = false);

// Numbers routes "METHOD /path/:id". Bounded: what comes after the first `limit` distinct routes is
// "METHOD (other)", and methods beyond 32 are "(other)".
class RouteTable {
 public:
  static constexpr std::size_t kDefaultLimit = 500;

  explicit RouteTable(std::size_t limit = kDefaultLimit) : limit_(limit) {}

  // Index into names(), from 0.
  std::uint32_t intern(std::string_view method, std::string_view path, bool path_cut = false);

  const std::vector<std::string>& names() const { return names_; }
  // Requests that got an "(other)" route.
  std::uint64_t folded_into_other() const { return folded_; }

 private:
  std::uint32_t add(std::string name);
  std::string_view known_method(std::string_view method);

  std::size_t limit_;
  std::size_t distinct_ = 0;
  std::uint64_t folded_ = 0;
  std::vector<std::string> names_;
  std::vector<std::string> methods_;
  std::unordered_map<std::string, std::uint32_t> index_;
};

}  // namespace srvprof
