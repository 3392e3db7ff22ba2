// Shell completions, made from the list of commands.
#pragma once

#include <string>

namespace srvprof {

std::string bash_completions();
std::string zsh_completions();

}  // namespace srvprof
