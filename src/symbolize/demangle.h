// From the linker's name of a function to the programmer's.
#pragma once

#include <string>
#include <string_view>

namespace srvprof {

// C++ (Itanium ABI) with parameters, Rust's names without their hash. A name of another kind (C, Go),
// one that is malformed, and one that is very long or would expand beyond some
// megabytes is returned as it is.
std::string demangle(std::string_view name);

}  // namespace srvprof
