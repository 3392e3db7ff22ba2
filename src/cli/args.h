// The words of a command line, after parsing.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace srvprof {

struct Args {
  std::map<std::string, std::vector<std::string>, std::less<>> values;  // by option; switches: ""
  std::vector<std::string> words;                                       // besides options
  std::vector<std::string> load;                                        // what followed "--"
  std::string command_line;  // as the user wrote it, for the recording's header

  bool has(std::string_view option) const { return values.find(option) != values.end(); }
  std::size_t count(std::string_view option) const;
  // The last value given, or `fallback`.
  std::string text(std::string_view option, std::string_view fallback = {}) const;
  std::vector<std::string> all(std::string_view option) const;
  // A whole number in [least, most]; a usage error otherwise.
  Result<std::uint64_t> number(std::string_view option, std::uint64_t fallback, std::uint64_t least,
                               std::uint64_t most) const;
};

// "10" and "10s" (seconds), "500ms", "2m", "1h": more than zero, at most a week.
Result<Duration> parse_duration(std::string_view text);
// "8388608", "512k", "64M", "1G" (powers of 1024).
Result<std::uint64_t> parse_size(std::string_view text);

Error usage_error(std::string what, std::string hint = {});

struct Command;
// Parses what follows the command's name. "--" ends the options; what follows is the load command
// if the command takes one.
Result<Args> parse_args(const Command& command, const std::vector<std::string>& words);

}  // namespace srvprof
