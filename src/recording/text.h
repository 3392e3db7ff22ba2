// The lossless text form of a recording: what `srvprof dump` prints and what tests are written in.
//
//   srvprof-text 1
//   # a comment; blank lines, indentation and the order of fields do not matter
//   request t_arrive=1000000 t_read=1.2ms conn=4 path="/a\x0ab" method=GET
//   stack hash=7 pcs=0x10,0x20
//
// Fields that have their default are left out. Strings are quoted with \\ \" and \xNN, bare words
// are read as well. Integers are decimal or 0x...; times and fields that end in _ns also take a
// unit (1.5ms; ns us ms s). Lists are separated by commas.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/result.h"
#include "recording/reader.h"
#include "recording/rows.h"
#include "recording/tables.h"
#include "recording/writer.h"

namespace srvprof {

inline constexpr std::string_view kTextHeader = "srvprof-text 1";

// One line, without the newline.
template <class Row>
std::string to_text(const Row& row);

// Hands the text form of the whole recording to `sink`, some lines at a time. An error of `sink`
// ends the pass and is returned.
using TextSink = std::function<Status(std::string_view)>;
Result<ReadReport> dump_text(RecordingReader& reader, const TextSink& sink);

// Any row.
template <class Tuple>
struct VariantOf;
template <class... Row>
struct VariantOf<std::tuple<Row...>> {
  using type = std::variant<Row...>;
};
using AnyRow = VariantOf<rows::All>::type;

// Reads the text form line by line; keeps the line number for its messages ("line 3: request:
// unknown field 'x'"). `name` is the file, for messages.
class TextParser {
 public:
  explicit TextParser(std::string name) : name_(std::move(name)) {}

  // True: `row` holds the row of the line. False: the line holds none (blank, comment, header).
  Result<bool> line(std::string_view text, AnyRow& row);
  // An error if not even the header line was seen.
  Status finish() const;

 private:
  Error error(std::string_view why) const;

  std::string name_;
  std::uint64_t number_ = 0;
  bool header_seen_ = false;
};

// The rows of a text in their order: v(const Row&) as in RecordingReader::read_all.
template <class Visitor>
Status parse_text(std::string_view text, Visitor&& v, const std::string& name = "text");

// Writes the rows of a text so that a dump of the recording gives the canonical form of the same
// lines in the same order: a chunk ends where the table changes. Flushes, does not close.
Status write_text(std::string_view text, RecordingWriter& writer, const std::string& name = "text");

template <class Visitor>
Status parse_text(std::string_view text, Visitor&& v, const std::string& name) {
  TextParser parser(name);
  AnyRow row;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (TRY(parser.line(text.substr(0, end), row))) {
      std::visit(
          [&]<class Row>(const Row& r) {
            if constexpr (std::is_invocable_v<Visitor&, const Row&>) v(r);
          },
          row);
    }
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parser.finish();
}

#define SRVPROF_EXTERN(Row) extern template std::string to_text<rows::Row>(const rows::Row&);
SRVPROF_EACH_ROW(SRVPROF_EXTERN)
#undef SRVPROF_EXTERN

}  // namespace srvprof
