// Whole files of text that the user names.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace srvprof {

// The contents of a file; "-" is stdin. Refused: what is larger than `most` bytes.
Result<std::string> read_text_file(const std::string& path, std::size_t most);

}  // namespace srvprof
