// Text for terminals: widths, wrapping, tables, colours.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace srvprof {

// Columns that UTF-8 text takes: one a code point, none for Paint's colours. `s` is escaped
// already.
std::size_t display_width(std::string_view s);

// At most `columns` wide: the end is replaced by "..".
std::string shorten(std::string_view s, std::size_t columns);
// At most `columns` wide: the middle is replaced by "..", for paths.
std::string shorten_middle(std::string_view s, std::size_t columns);

// `text` broken at blanks into lines of at most `width` columns; the first begins with `first`, the
// others with `indent` blanks. A word that is longer than a line is not broken. Ends with a
// newline.
std::string wrap(std::string_view first, std::size_t indent, std::string_view text,
                 std::size_t width);

class Paint {
 public:
  explicit Paint(bool on) : on_(on) {}
  std::string bold(std::string_view s) const { return wrapped("1", s); }
  std::string dim(std::string_view s) const { return wrapped("2", s); }
  std::string red(std::string_view s) const { return wrapped("31", s); }
  std::string yellow(std::string_view s) const { return wrapped("33", s); }
  std::string green(std::string_view s) const { return wrapped("32", s); }

 private:
  std::string wrapped(const char* code, std::string_view s) const;
  bool on_;
};

// Cells aligned in columns two blanks apart. The first row is the head.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  // Each line begins with `prefix`; the head is bold; no blanks at line ends.
  std::string text(std::string_view prefix, const Paint& paint) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace srvprof
