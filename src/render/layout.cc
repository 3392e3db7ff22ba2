#include "render/layout.h"

#include <algorithm>

#include "base/parse.h"

namespace srvprof {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0u) == 0x80u; }

// Bytes that the first `columns` code points take.
std::size_t bytes_of_columns(std::string_view s, std::size_t columns) {
  std::size_t i = 0;
  while (i < s.size() && columns > 0) {
    ++i;
    while (i < s.size() && is_continuation(s[i])) ++i;
    --columns;
  }
  return i;
}

}  // namespace

std::size_t display_width(std::string_view s) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '\x1b') {  // a colour of ours: escaped text holds no ESC
      i = std::min(s.find('m', i), s.size());
    } else if (!is_continuation(s[i])) {
      ++width;
    }
  }
  return width;
}

std::string shorten(std::string_view s, std::size_t columns) {
  if (display_width(s) <= columns) return std::string(s);
  if (columns <= 2) return std::string(columns, '.');
  return std::string(s.substr(0, bytes_of_columns(s, columns - 2))) + "..";
}

std::string shorten_middle(std::string_view s, std::size_t columns) {
  const std::size_t width = display_width(s);
  if (width <= columns) return std::string(s);
  if (columns < 8) return shorten(s, columns);
  const std::size_t head = (columns - 2) / 2, tail = columns - 2 - head;
  return std::string(s.substr(0, bytes_of_columns(s, head))) + ".." +
         std::string(s.substr(bytes_of_columns(s, width - tail)));
}

std::string wrap(std::string_view first, std::size_t indent, std::string_view text,
                 std::size_t width) {
  std::string out(first);
  std::size_t column = display_width(first);
  bool line_is_empty = true;
  while (!text.empty()) {
    // Blanks inside a line are kept: they may set parts of a sentence apart.
    const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    const std::string_view blanks = text.substr(0, begin);
    text.remove_prefix(begin);
    const std::string_view word = next_until(text, ' ');
    if (word.empty()) break;
    const std::size_t gap = line_is_empty ? 0 : blanks.size() + 1;
    if (!line_is_empty && column + gap + display_width(word) > width) {
      out += '\n';
      out.append(indent, ' ');
      column = indent;
      line_is_empty = true;
    }
    if (!line_is_empty) {
      out.append(gap, ' ');
      column += gap;
    }
    out += word;
    column += display_width(word);
    line_is_empty = false;
  }
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + '\n';
}

std::string Paint::wrapped(const char* code, std::string_view s) const {
  if (!on_ || s.empty()) return std::string(s);
  return std::string("\x1b[") + code + "m" + std::string(s) + "\x1b[0m";
}

std::string TextTable::text(std::string_view prefix, const Paint& paint) const {
  std::vector<std::size_t> widths(columns_.size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line(prefix);
    for (std::size_t i = 0; i < std::min(row.size(), widths.size()); ++i) {
      if (i != 0) line += "  ";
      const std::string blanks(widths[i] - display_width(row[i]), ' ');
      line += columns_[i] == Align::kRight ? blanks + row[i] : row[i] + blanks;
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += (&row == &rows_.front() ? paint.bold(line) : line) + '\n';
  }
  return out;
}

}  // namespace srvprof
