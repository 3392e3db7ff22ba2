#include "loadgen/csv.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/parse.h"
#include "loadgen/text.h"

namespace srvprof {

// rest_ begins after the opening quote; leaves it after the closing one.
Result<std::string_view> CsvReader::take_quoted() {
  std::string* joined = nullptr;
  std::size_t taken = 0;
  while (true) {
    const auto quote = rest_.find('"');
    if (quote == std::string_view::npos) return line_error(number_, "a quote is not closed");
    const std::string_view part = rest_.substr(0, quote);
    taken += part.size();
    if (taken > kMaxRecordBytes) return line_error(number_, "a field is too long");
    next_number_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    rest_.remove_prefix(quote + 1);
    const bool doubled = !rest_.empty() && rest_.front() == '"';
    if (!doubled && joined == nullptr) return part;
    if (joined == nullptr) joined = &unquoted_.emplace_back();
    *joined += part;
    if (!doubled) return std::string_view(*joined);
    *joined += '"';
    rest_.remove_prefix(1);
  }
}

Result<bool> CsvReader::next(std::vector<std::string_view>& fields) {
  fields.clear();
  unquoted_.clear();
  while (!rest_.empty() && (rest_.front() == '\n' || rest_.front() == '\r')) {
    if (rest_.front() == '\n') ++next_number_;
    rest_.remove_prefix(1);
  }
  number_ = next_number_;
  if (rest_.empty()) return false;
  const char ends[] = {separator_, '\n'};
  const std::size_t size_before = rest_.size();
  while (true) {
    std::string_view field;
    if (!rest_.empty() && rest_.front() == '"') {
      rest_.remove_prefix(1);
      field = TRY(take_quoted());
      if (!rest_.empty() && rest_.front() == '\r') rest_.remove_prefix(1);
      if (!rest_.empty() && rest_.front() != separator_ && rest_.front() != '\n') {
        return line_error(number_, "text follows a closing quote");
      }
    } else {
      const auto end = rest_.find_first_of(std::string_view(ends, 2));
      field = rest_.substr(0, end);
      rest_.remove_prefix(field.size());
      if (!field.empty() && field.back() == '\r') field.remove_suffix(1);
    }
    if (fields.size() == kMaxCsvFields) {
      return line_error(number_, fmt::format("more than {} fields", kMaxCsvFields));
    }
    if (size_before - rest_.size() > kMaxRecordBytes) {
      return line_error(number_, "the line is too long");
    }
    fields.push_back(field);
    open_end_ = rest_.empty();
    if (open_end_) return true;
    const bool record_ends = rest_.front() == '\n';
    rest_.remove_prefix(1);
    if (record_ends) {
      ++next_number_;
      return true;
    }
  }
}

std::optional<std::size_t> find_column(const std::vector<std::string_view>& header,
                                       std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      if (trim(header[i]) == name) return i;
    }
  }
  return std::nullopt;
}

}  // namespace srvprof
