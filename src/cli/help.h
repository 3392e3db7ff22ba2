// Help, made from the list of commands.
#pragma once

#include <string>

#include "cli/command.h"

namespace srvprof {

// Examples first, then the commands.
std::string general_help();
std::string command_help(const Command& command);

}  // namespace srvprof
