// What libbpf and the kernel's verifier say of what they refuse.
#pragma once

#include <string_view>

#include "base/result.h"

namespace srvprof {

// From now on libbpf's warnings of this thread are kept (64 KiB), as far as they are not cleared.
void keep_kernel_log();
void clear_kernel_log();
// Whether they are printed on stderr, too.
void print_kernel_log(bool on);

// The error of a step that the kernel refused, with libbpf's first warning and the verifier's last word.
Error refusal(std::string_view doing, int errno_value);

}  // namespace srvprof
