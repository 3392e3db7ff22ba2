// Text from the target (paths, thread names, file names) is hostile: everything printed goes through
// one of these first.
#pragma once

#include <string>
#include <string_view>

namespace srvprof {

// For terminals and text files: control characters and bytes outside printable ASCII become \xNN
// (valid UTF-8 is kept), backslash is doubled.
std::string escape_text(std::string_view s);
// The inverse of escape_text; an ill-formed escape is kept as it is.
std::string unescape_text(std::string_view s);

}  // namespace srvprof
