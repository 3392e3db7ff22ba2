#include "recording/text.h"

#include <algorithm>
#include <bitset>
#include <optional>

#include <fmt/format.h>

#include "base/parse.h"
#include "recording/text_value.h"

namespace srvprof {
namespace {

constexpr std::size_t kSinkBytes = 64u << 10;
constexpr std::string_view kBlank = " \t\r\v\f";

template <class Row>
void append_text(std::string& out, const Row& row) {
  [[maybe_unused]] static const Row kDefaults{};  // gcc 12 does not see the use below
  out += table_name(Row::kTable);
  for_each_field<Row>([&](std::size_t, const auto& f) {
    if (row.*f.member == kDefaults.*f.member) return;
    out += ' ';
    out += f.name;
    out += '=';
    print_value(out, row.*f.member);
  });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// The byte that the escape at the start of `s` (after its backslash) stands for; takes it off.
std::optional<char> take_escape(std::string_view& s) {
  const char c = s.empty() ? '\0' : s.front();
  if (c == 'x' && s.size() >= 3 && hex_digit(s[1]) >= 0 && hex_digit(s[2]) >= 0) {
    const int v = hex_digit(s[1]) * 16 + hex_digit(s[2]);
    s.remove_prefix(3);
    return static_cast<char>(v);
  }
  constexpr std::string_view kNames = "\\\"ntr", kBytes = "\\\"\n\t\r";
  const auto i = kNames.find(c);
  if (s.empty() || i == std::string_view::npos) return std::nullopt;
  s.remove_prefix(1);
  return kBytes[i];
}

// Takes a value off `s`: quoted, or up to the next blank. "" or why it is ill-formed.
std::string take_value(std::string_view& s, std::string& out) {
  out.clear();
  const bool quoted = s.starts_with('"');
  if (quoted) s.remove_prefix(1);
  while (!s.empty()) {
    const char c = s.front();
    if (!quoted && kBlank.find(c) != std::string_view::npos) return "";
    s.remove_prefix(1);
    if (c == '"') {
      if (!quoted) return "a quote inside a bare word";
      const bool ends = s.empty() || kBlank.find(s.front()) != std::string_view::npos;
      return ends ? "" : "something follows the closing quote";
    }
    if (c != '\\') {
      out += c;
      continue;
    }
    const auto byte = take_escape(s);
    if (!byte) return "an escape is none of \\\\ \\\" \\n \\t \\r \\xNN";
    out += *byte;
  }
  return quoted ? "the closing quote is missing" : "";
}

void skip_blanks(std::string_view& s) {
  s.remove_prefix(std::min(s.find_first_not_of(kBlank), s.size()));
}

// The word before the next blank or '='.
std::string_view take_word(std::string_view& s) {
  const auto end = std::min(s.find_first_of(" \t\r\v\f="), s.size());
  const std::string_view word = s.substr(0, end);
  s.remove_prefix(end);
  return word;
}

// Sets the field `name` of `row`; "" or what is wrong.
template <class Row, class Seen>
std::string set_field(Row& row, Seen& seen, std::string_view name, std::string_view value) {
  std::string why;
  bool found = false;
  for_each_field<Row>([&](std::size_t i, const auto& f) {
    if (found || f.name != name) return;
    found = true;
    if (seen[i]) {
      why = fmt::format("field '{}' is given twice", name);
      return;
    }
    seen[i] = true;
    why = read_value(value, takes_time_unit(f.name), row.*f.member);
    if (!why.empty()) why = fmt::format("field '{}': {}", name, why);
  });
  return found ? why : fmt::format("unknown field '{}'", name);
}

// Reads the fields in `s` into `row`; "" or what is wrong.
template <class Row>
std::string read_fields(std::string_view s, Row& row) {
  std::bitset<std::tuple_size_v<decltype(Row::fields)>> seen;
  std::string value;
  for (skip_blanks(s); !s.empty() && s.front() != '#'; skip_blanks(s)) {
    const std::string_view name = take_word(s);
    if (name.empty()) return "a field name is missing before '='";
    if (!s.starts_with('=')) return fmt::format("'{}' is not name=value", name);
    s.remove_prefix(1);
    if (auto why = take_value(s, value); !why.empty()) {
      return fmt::format("field '{}': {}", name, why);
    }
    if (auto why = set_field(row, seen, name, value); !why.empty()) return why;
  }
  return "";
}

}  // namespace

template <class Row>
std::string to_text(const Row& row) {
  std::string out;
  append_text(out, row);
  return out;
}

#define SRVPROF_INSTANTIATE(Row) template std::string to_text<rows::Row>(const rows::Row&);
SRVPROF_EACH_ROW(SRVPROF_INSTANTIATE)
#undef SRVPROF_INSTANTIATE

Result<ReadReport> dump_text(RecordingReader& reader, const TextSink& sink) {
  std::string out(kTextHeader);
  out += '\n';
  Status status;
  auto report = reader.read_all([&](const auto& row) -> bool {
    append_text(out, row);
    out += '\n';
    if (out.size() < kSinkBytes) return true;
    status = sink(out);
    out.clear();
    return status.ok();
  });
  if (!status.ok()) return status.take_error();
  if (!out.empty()) TRY(sink(out));
  return report;
}

Error TextParser::error(std::string_view why) const {
  return Error{fmt::format("reading {}: line {}: {}", name_, number_, why),
               fmt::format("a text recording begins with the line '{}'; each other line is "
                           "<table> <field>=<value> ...",
                           kTextHeader)};
}

Result<bool> TextParser::line(std::string_view text, AnyRow& row) {
  ++number_;
  skip_blanks(text);
  if (text.empty() || text.front() == '#') return false;
  const std::string_view word = take_word(text);
  if (!header_seen_) {
    if (word != kTextHeader.substr(0, kTextHeader.find(' '))) return error("not a srvprof text");
    skip_blanks(text);
    if (take_word(text) != kTextHeader.substr(kTextHeader.find(' ') + 1)) {
      return error("a version of the text form that this srvprof does not read");
    }
    header_seen_ = true;
    return false;
  }
  const auto found = std::find(kTableNames.begin(), kTableNames.end(), word);
  if (found == kTableNames.end()) return error(fmt::format("unknown table '{}'", word));
  std::string why;
  with_row_type(
      static_cast<Table>(found - kTableNames.begin() + 1),
      [&]<class Row>(std::type_identity<Row>) { why = read_fields(text, row.emplace<Row>()); });
  if (!why.empty()) return error(fmt::format("{}: {}", word, why));
  return true;
}

Status TextParser::finish() const {
  if (header_seen_) return {};
  return error("the header line is missing");
}

Status write_text(std::string_view text, RecordingWriter& writer, const std::string& name) {
  std::optional<Table> last;
  TRY(parse_text(
      text,
      [&]<class Row>(const Row& row) {
        if (last && *last != Row::kTable) static_cast<void>(writer.flush());
        last = Row::kTable;
        writer.add(row);
      },
      name));
  return writer.flush();
}

}  // namespace srvprof
