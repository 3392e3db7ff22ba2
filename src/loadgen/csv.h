// Records of comma-separated text as RFC 4180 has them: quotes, doubled quotes and line breaks in
// quotes. Bounded: fields a record, bytes a record.
#pragma once

#include <cstddef>
#include <deque>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace srvprof {

inline constexpr std::size_t kMaxCsvFields = 256;
// vegeta writes whole response bodies into a field.
inline constexpr std::size_t kMaxRecordBytes = std::size_t{64} << 20;

class CsvReader {
 public:
  explicit CsvReader(std::string_view text, char separator = ',', std::size_t first_line = 1)
      : rest_(text), separator_(separator), next_number_(first_line) {}

  // The next record that is not an empty line; false at the end. The fields are valid until the
  // next call.
  Result<bool> next(std::vector<std::string_view>& fields);
  // The line on which the record of the last next() begins.
  std::size_t line() const { return number_; }
  // After a record: nothing ended it, the text stops there. It may have been cut.
  bool open_end() const { return open_end_; }

 private:
  Result<std::string_view> take_quoted();

  std::string_view rest_;
  char separator_;
  std::size_t number_ = 0;
  std::size_t next_number_;
  bool open_end_ = false;
  std::deque<std::string> unquoted_;  // fields that held doubled quotes
};

// Index of the first of `names` that is a field of the header, whatever blanks stand around it.
std::optional<std::size_t> find_column(const std::vector<std::string_view>& header,
                                       std::initializer_list<std::string_view> names);

}  // namespace srvprof
