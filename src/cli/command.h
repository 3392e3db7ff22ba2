// A command of srvprof as data. Help, completions, "did you mean" and the parser come from these
// fields; a new command is one file and one line in commands.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/args.h"
#include "cli/console.h"

namespace srvprof {

struct Option {
  std::string_view name;      // "output": the user writes --output
  char letter = 0;            // 'o' for -o, 0 = none
  std::string_view argument;  // "FILE"; empty = a switch
  std::string_view doc;       // one line
  bool repeatable = false;
  std::vector<std::string> (*words)() = nullptr;  // the values there are, if they can be listed
};

struct Example {
  std::string_view command, doc;
};

struct Command {
  std::string_view name;
  std::string_view summary;    // one line, for the list of commands
  std::string_view arguments;  // of the usage line: "RECORDING [options]"
  std::span<const Example> examples = {};
  std::span<const Option> options = {};
  std::size_t least_words = 0, most_words = 0;    // besides options
  std::string_view word = {};                     // what such a word is: "RECORDING"
  std::vector<std::string> (*words)() = nullptr;  // the words there are, if they can be listed
  bool takes_load = false;                        // "-- COMMAND ..." may follow
  // The exit code, or an error. Results go to stdout, everything else to the console.
  Result<int> (*run)(const Args& args, Console& console) = nullptr;
};

std::span<const Command* const> commands();
const Command* find_command(std::string_view name);

// Options that every command takes.
std::span<const Option> common_options();

}  // namespace srvprof
