#include "cli/args.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>

#include "base/escape.h"
#include "base/parse.h"
#include "cli/command.h"
#include "cli/suggest.h"

namespace po = boost::program_options;

namespace srvprof {
namespace {

constexpr const char* kWords = "word";  // Boost's name for what is not an option

// "1", "2.5"; no sign, no exponent.
std::optional<double> parse_decimal(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::vector<const Option*> options_of(const Command& command) {
  std::vector<const Option*> out;
  for (const Option& option : command.options) out.push_back(&option);
  for (const Option& option : common_options()) out.push_back(&option);
  return out;
}

po::options_description description_of(const std::vector<const Option*>& options) {
  po::options_description out;
  for (const Option* option : options) {
    std::string names(option->name);
    if (option->letter != 0) names += fmt::format(",{}", option->letter);
    if (option->argument.empty()) {
      out.add_options()(names.c_str(), "");
    } else {
      out.add_options()(names.c_str(), po::value<std::string>(), "");
    }
  }
  out.add_options()(kWords, po::value<std::vector<std::string>>(), "");
  return out;
}

std::string hint_of_help(const Command& command) {
  return fmt::format("srvprof {} --help", command.name);
}

Error unknown_option(const Command& command, const std::string& name) {
  std::vector<std::string> known;
  for (const Option* option : options_of(command))
    known.push_back("--" + std::string(option->name));
  const std::string near = closest(name, known);
  return usage_error(
      fmt::format("{}: unknown option '{}'", command.name, escape_text(name)),
      near.empty() ? hint_of_help(command) : fmt::format("did you mean '{}'?", near));
}

Error boost_error(const Command& command, const po::error& error) {
  if (const auto* unknown = dynamic_cast<const po::unknown_option*>(&error)) {
    return unknown_option(command, unknown->get_option_name());
  }
  if (const auto* syntax = dynamic_cast<const po::error_with_option_name*>(&error)) {
    return usage_error(fmt::format("{}: {}", command.name, escape_text(syntax->what())),
                       hint_of_help(command));
  }
  return usage_error(fmt::format("{}: {}", command.name, escape_text(error.what())),
                     hint_of_help(command));
}

Status check_values(const Command& command, const Args& args) {
  for (const Option* option : options_of(command)) {
    const std::vector<std::string> values = args.all(option->name);
    if (values.size() > 1 && !option->repeatable) {
      return usage_error(
          fmt::format("{}: --{} is given {} times", command.name, option->name, values.size()));
    }
    if (option->words == nullptr) continue;
    const std::vector<std::string> known = option->words();
    for (const std::string& value : values) {
      if (std::find(known.begin(), known.end(), value) != known.end()) continue;
      const std::string near = closest(value, known);
      return usage_error(fmt::format("{}: --{} '{}': no such {}", command.name, option->name,
                                     escape_text(value), option->name),
                         near.empty() ? fmt::format("one of {}", fmt::join(known, ", "))
                                      : fmt::format("did you mean '{}'?", near));
    }
  }
  return {};
}

Status check_words(const Command& command, const Args& args) {
  if (args.has("help")) return {};
  if (args.words.size() < command.least_words) {
    return usage_error(fmt::format("{}: {} is missing", command.name, command.word),
                       fmt::format("srvprof {} {}", command.name, command.arguments));
  }
  if (args.words.size() > command.most_words) {
    return usage_error(fmt::format("{}: unexpected word '{}'", command.name,
                                   escape_text(args.words[command.most_words])),
                       fmt::format("srvprof {} {}", command.name, command.arguments));
  }
  return {};
}

}  // namespace

std::size_t Args::count(std::string_view option) const {
  const auto at = values.find(option);
  return at == values.end() ? 0 : at->second.size();
}

std::string Args::text(std::string_view option, std::string_view fallback) const {
  const auto at = values.find(option);
  return at == values.end() || at->second.empty() ? std::string(fallback) : at->second.back();
}

std::vector<std::string> Args::all(std::string_view option) const {
  const auto at = values.find(option);
  return at == values.end() ? std::vector<std::string>() : at->second;
}

Result<std::uint64_t> Args::number(std::string_view option, std::uint64_t fallback,
                                   std::uint64_t least, std::uint64_t most) const {
  if (!has(option)) return fallback;
  const std::string value = text(option);
  const std::optional<std::uint64_t> n = parse_number<std::uint64_t>(value);
  if (!n || *n < least || *n > most) {
    return usage_error(fmt::format("--{} '{}': not a number from {} to {}", option,
                                   escape_text(value), least, most));
  }
  return *n;
}

Result<Duration> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const std::string_view unit = text.substr(digits);
  const double scale = unit.empty() || unit == "s" ? 1e9
                       : unit == "ms"              ? 1e6
                       : unit == "m"               ? 60e9
                       : unit == "h"               ? 3600e9
                                                   : 0;
  const std::optional<double> value = parse_decimal(text.substr(0, digits));
  constexpr double kWeek = 7 * 24 * 3600e9;
  if (scale == 0 || !value || *value * scale < 1 || *value * scale > kWeek) {
    return usage_error(fmt::format("'{}': not a duration", escape_text(text)),
                       "10, 10s, 500ms or 2m; a bare number is seconds");
  }
  return Duration(static_cast<std::int64_t>(*value * scale));
}

Result<std::uint64_t> parse_size(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  std::string_view unit = text.substr(digits);
  if (unit.size() > 1 && unit.ends_with("iB")) unit.remove_suffix(2);
  const int shift = unit.empty()                 ? 0
                    : unit == "k" || unit == "K" ? 10
                    : unit == "M" || unit == "m" ? 20
                    : unit == "G" || unit == "g" ? 30
                                                 : -1;
  const std::optional<std::uint64_t> n = parse_number<std::uint64_t>(text.substr(0, digits));
  if (shift < 0 || !n || *n == 0 || *n > (std::uint64_t{1} << 33 >> shift)) {
    return usage_error(fmt::format("'{}': not a size", escape_text(text)),
                       "bytes, or with k, M or G, at most 8G: 64M");
  }
  return *n << shift;
}

Error usage_error(std::string what, std::string hint) {
  return Error{std::move(what), std::move(hint), ErrorKind::kUsage};
}

Result<Args> parse_args(const Command& command, const std::vector<std::string>& words) {
  Args args;
  std::vector<std::string> own = words;
  if (const auto end = std::find(own.begin(), own.end(), "--"); end != own.end()) {
    args.load.assign(end + 1, own.end());
    own.erase(end, own.end());
    if (args.load.empty()) {
      return usage_error(fmt::format("{}: nothing follows '--'", command.name),
                         hint_of_help(command));
    }
    if (!command.takes_load) {  // words that begin with a dash
      own.insert(own.end(), {"--"});
      own.insert(own.end(), args.load.begin(), args.load.end());
      args.load.clear();
    }
  }
  const po::options_description description = description_of(options_of(command));
  po::positional_options_description positional;
  positional.add(kWords, -1);
  try {
    namespace style = po::command_line_style;
    const po::parsed_options parsed = po::command_line_parser(own)
                                          .options(description)
                                          .positional(positional)
                                          .style(style::unix_style & ~style::allow_guessing)
                                          .run();
    for (const po::option& option : parsed.options) {
      if (option.string_key == kWords) {
        args.words.insert(args.words.end(), option.value.begin(), option.value.end());
        continue;
      }
      std::vector<std::string>& values = args.values[option.string_key];
      values.push_back(option.value.empty() ? "" : option.value.front());
    }
  } catch (const po::error& error) {
    return boost_error(command, error);
  }
  TRY(check_values(command, args));
  TRY(check_words(command, args));
  return args;
}

}  // namespace srvprof
