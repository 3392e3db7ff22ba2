#include "cli/completions.h"

#include <fmt/format.h>

#include <vector>

#include "cli/command.h"

namespace srvprof {
namespace {

std::vector<Option> options_of(const Command& command) {
  std::vector<Option> out(command.options.begin(), command.options.end());
  out.insert(out.end(), common_options().begin(), common_options().end());
  return out;
}

// What bash offers after an option that takes an argument.
std::string bash_argument(const Option& option) {
  if (option.words != nullptr) return fmt::format("-W \"{}\"", fmt::join(option.words(), " "));
  return option.argument == "FILE" ? "-f" : "";
}

std::string bash_case(const Command& command) {
  std::string options, arguments;
  for (const Option& option : options_of(command)) {
    options += fmt::format(" --{}", option.name);
    if (option.letter != 0) options += fmt::format(" -{}", option.letter);
    if (option.argument.empty()) continue;
    const std::string names = option.letter != 0
                                  ? fmt::format("--{}|-{}", option.name, option.letter)
                                  : fmt::format("--{}", option.name);
    const std::string values = bash_argument(option);
    arguments += fmt::format(
        "        {}) {}return ;;\n", names,
        values.empty() ? "" : fmt::format("COMPREPLY=($(compgen {} -- \"$cur\")); ", values));
  }
  const std::string words = command.words != nullptr
                                ? fmt::format("-W \"{}\"", fmt::join(command.words(), " "))
                                : (command.word == "RECORDING" ? "-f" : "");
  return fmt::format(
      "    {})\n      case $prev in\n{}      esac\n      if [[ $cur == -* ]]; then\n"
      "        COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"))\n{}      fi ;;\n",
      command.name, arguments, options.substr(1),
      words.empty()
          ? ""
          : fmt::format("      else\n        COMPREPLY=($(compgen {} -- \"$cur\"))\n", words));
}

// A text inside '...' and inside [...] of _arguments.
std::string zsh_doc(std::string_view doc) {
  std::string out;
  for (char c : doc) {
    if (c == '\'') {
      out += "'\\''";
    } else if (c == '[' || c == ']' || c == ':' || c == '\\') {
      out += '\\';
      out += c;
    } else {
      out += c;
    }
  }
  return out;
}

std::string zsh_values(const Option& option) {
  if (option.argument.empty()) return {};
  const std::string_view argument = option.argument;
  if (option.words != nullptr) {
    return fmt::format(":{}:({})", argument, fmt::join(option.words(), " "));
  }
  return fmt::format(":{}:{}", argument, argument == "FILE" ? "_files" : "");
}

std::string zsh_case(const Command& command) {
  std::string out = fmt::format("        {})\n          _arguments", command.name);
  for (const Option& option : options_of(command)) {
    const std::string rest = fmt::format("[{}]{}", zsh_doc(option.doc), zsh_values(option));
    const char* repeat = option.repeatable ? "*" : "";
    out += fmt::format(" \\\n            '{}--{}{}'", repeat, option.name, rest);
    if (option.letter != 0)
      out += fmt::format(" \\\n            '{}-{}{}'", repeat, option.letter, rest);
  }
  if (command.words != nullptr) {
    out +=
        fmt::format(" \\\n            '1:{}:({})'", command.word, fmt::join(command.words(), " "));
  } else if (command.word == "RECORDING") {
    out += fmt::format(" \\\n            '*:{}:_files'", command.word);
  }
  return out + " ;;\n";
}

}  // namespace

std::string bash_completions() {
  std::string names, cases;
  for (const Command* command : commands()) {
    names += fmt::format("{} ", command->name);
    cases += bash_case(*command);
  }
  return fmt::format(
      "# bash completion for srvprof; made by srvprof --completions bash\n"
      "_srvprof() {{\n"
      "  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD-1]}}\n"
      "  COMPREPLY=()\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"{}--help --version --completions\" -- \"$cur\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}"
      "    --completions) COMPREPLY=($(compgen -W \"bash zsh\" -- \"$cur\")) ;;\n"
      "  esac\n"
      "}}\n"
      "complete -o filenames -F _srvprof srvprof\n",
      names, cases);
}

std::string zsh_completions() {
  std::string names, cases;
  for (const Command* command : commands()) {
    names += fmt::format("        '{}:{}'\n", command->name, zsh_doc(command->summary));
    cases += zsh_case(*command);
  }
  return fmt::format(
      "#compdef srvprof\n"
      "# zsh completion for srvprof; made by srvprof --completions zsh\n"
      "_srvprof() {{\n"
      "  local line state\n"
      "  _arguments -C '(- *)'{{-h,--help}}'[help]' '(- *)'{{-V,--version}}'[the version]' \\\n"
      "    '--completions[completions for a shell]:shell:(bash zsh)' \\\n"
      "    '1: :->command' '*::argument:->argument'\n"
      "  case $state in\n"
      "    command)\n"
      "      local -a names=(\n{}      )\n"
      "      _describe command names ;;\n"
      "    argument)\n"
      "      case $line[1] in\n{}      esac ;;\n"
      "  esac\n"
      "}}\n"
      "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _srvprof \"$@\"; else compdef _srvprof "
      "srvprof; fi\n",
      names, cases);
}

}  // namespace srvprof
