// From the words of the command line to an exit code.
#pragma once

#include <string>
#include <vector>

namespace srvprof {

int run_app(const std::vector<std::string>& words);

}  // namespace srvprof
