// Reading JSON documents of unknown shape. The only place of this folder that knows the JSON
// library; its exceptions end here. A missing member is an empty view, and views of it are empty.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/result.h"

namespace srvprof {

inline constexpr std::size_t kMaxJsonBytes = std::size_t{64} << 20;
inline constexpr std::size_t kMaxJsonDepth = 64;

// Part of a JsonDocument that must outlive it.
class JsonView {
 public:
  JsonView() = default;

  explicit operator bool() const { return node_ != nullptr; }
  bool is_object() const;
  JsonView operator[](std::string_view key) const;
  // Elements of an array or members of an object; `key` is empty for elements.
  void each(const std::function<void(std::string_view key, JsonView value)>& visit) const;
  // Nothing for another type.
  std::optional<double> number() const;
  std::optional<std::string_view> text() const;
  std::optional<bool> boolean() const;
  // A whole number that is not negative and below 2^53.
  std::optional<std::uint64_t> count() const;

 private:
  friend class JsonDocument;
  explicit JsonView(const void* node) : node_(node) {}

  const void* node_ = nullptr;
};

class JsonDocument {
 public:
  // One object and blanks. `first_line` is the number of the text's first line, for errors.
  static Result<JsonDocument> parse(std::string_view text, std::size_t first_line = 1);
  // The first object that begins a line; text before it (what else the generator printed) and
  // after its closing brace is left out.
  static Result<JsonDocument> parse_within(std::string_view text);

  JsonView root() const { return JsonView(node_.get()); }

 private:
  std::shared_ptr<const void> node_;
};

}  // namespace srvprof
