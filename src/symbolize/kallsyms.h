// The kernel's own symbol list as text: "ffffffff81000000 T _stext" and "... t name [module]".
#pragma once

#include <string_view>

#include "base/result.h"
#include "elf/symbols.h"

namespace srvprof {

// The functions in the text; the name of a module's function keeps its " [module]". An Error of
// kind kPermission if all addresses are zero (the kernel hides them without CAP_SYSLOG).
Result<SymbolTable> parse_kallsyms(std::string_view text);

}  // namespace srvprof
