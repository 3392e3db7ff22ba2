#include "cli/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/layout.h"

namespace srvprof {
namespace {

constexpr std::size_t kWidth = 100;

constexpr Example kGeneralExamples[] = {
    {"sudo srvprof attach --port 3000 -d 30s", "why is the server on port 3000 slow?"},
    {"sudo srvprof attach -p 4242 -- wrk -c64 -d30s http://127.0.0.1:3000/",
     "the same, and srvprof starts the load"},
    {"srvprof report run.srvprof --route /health", "look again, at one route"},
    {"srvprof flamegraph run.srvprof --off-cpu --tail 99 -o slow.svg",
     "where did slow requests wait?"},
};

std::string examples_text(std::span<const Example> examples) {
  std::string out = "examples:\n";
  for (const Example& example : examples) {
    out += fmt::format("  {}\n      {}\n", example.command, example.doc);
  }
  return out;
}

std::string option_line(const Option& option) {
  std::string names = option.letter != 0 ? fmt::format("  -{}, ", option.letter) : "      ";
  names += fmt::format("--{}", option.name);
  if (!option.argument.empty()) names += fmt::format(" {}", option.argument);
  constexpr std::size_t kDocColumn = 28;
  const std::size_t blanks = names.size() + 2 > kDocColumn ? 2 : kDocColumn - names.size();
  return wrap(names + std::string(blanks, ' '), kDocColumn, option.doc, kWidth);
}

}  // namespace

std::string general_help() {
  std::string out =
      "srvprof " SRVPROF_VERSION ": says why the slow requests of a running server were slow\n\n";
  out += examples_text(kGeneralExamples);
  out += "\ncommands:\n";
  for (const Command* command : commands()) {
    out += wrap(fmt::format("  {:<12}", command->name), 14, command->summary, kWidth);
  }
  out +=
      "\noptions:\n"
      "  -h, --help                this text; srvprof COMMAND --help for one command\n"
      "  -V, --version             the version\n"
      "      --completions SHELL   completions for bash or zsh\n";
  return out;
}

std::string command_help(const Command& command) {
  std::string out = fmt::format("srvprof {}: {}\n\n", command.name, command.summary);
  out += examples_text(command.examples);
  out += fmt::format("\nusage: srvprof {} {}\n\noptions:\n", command.name, command.arguments);
  for (const Option& option : command.options) out += option_line(option);
  for (const Option& option : common_options()) out += option_line(option);
  return out;
}

}  // namespace srvprof
