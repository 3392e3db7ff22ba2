#include "cli/app.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/completions.h"
#include "cli/help.h"
#include "cli/output.h"
#include "cli/suggest.h"

namespace srvprof {
namespace {

// As one would type it again; for the header of the recording.
std::string command_line_of(const std::vector<std::string>& words) {
  static constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=,@+%";
  std::string out = "srvprof";
  for (const std::string& word : words) {
    out += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      out += word;
      continue;
    }
    out += '\'';
    for (char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    out += '\'';
  }
  return out;
}

Error unknown_command(const std::string& word) {
  std::vector<std::string> known;
  for (const Command* command : commands()) known.emplace_back(command->name);
  const std::string near = closest(word, known);
  return usage_error(
      fmt::format("unknown command '{}'", escape_text(word)),
      near.empty() ? "srvprof --help lists the commands" : fmt::format("did you mean '{}'?", near));
}

Result<int> print(std::string_view text) {
  TRY(write_stdout(text));
  return 0;
}

Result<int> run_completions(const std::vector<std::string>& words) {
  const std::string shell = words.size() > 1 ? words[1] : "";
  if (shell == "bash") return print(bash_completions());
  if (shell == "zsh") return print(zsh_completions());
  return usage_error(fmt::format("--completions '{}': no such shell", escape_text(shell)),
                     "bash or zsh");
}

Result<int> run_words(const std::vector<std::string>& words, Console& console) {
  if (words.empty()) {
    return usage_error("no command is given", "srvprof --help shows examples and the commands");
  }
  const std::string& first = words[0];
  if (first == "-h" || first == "--help" || first == "help") {
    const Command* command = words.size() > 1 ? find_command(words[1]) : nullptr;
    return print(command != nullptr ? command_help(*command) : general_help());
  }
  if (first == "-V" || first == "--version") return print("srvprof " SRVPROF_VERSION "\n");
  if (first == "--completions") return run_completions(words);
  const Command* command = find_command(first);
  if (command == nullptr) {
    if (first.starts_with('-')) {
      return usage_error(fmt::format("unknown option '{}'", escape_text(first)),
                         "a command comes first: srvprof --help");
    }
    return unknown_command(first);
  }
  Args args = TRY(parse_args(*command, {words.begin() + 1, words.end()}));
  args.command_line = command_line_of(words);
  console.set_quiet(args.has("quiet"));
  console.set_verbose(static_cast<int>(args.count("verbose")));
  console.set_color(!args.has("no-color"));
  if (args.has("help")) return print(command_help(*command));
  return command->run(args, console);
}

}  // namespace

int run_app(const std::vector<std::string>& words) {
  Console console;
  const Result<int> result = run_words(words, console);
  if (result.ok()) return *result;
  console.error(result.error());
  return static_cast<int>(result.error().kind);
}

}  // namespace srvprof
