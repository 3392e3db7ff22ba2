// Questions to the running kernel's BTF.
#pragma once

#include <string>

namespace srvprof {

// True if the kernel has the tracepoint (its BTF names btf_trace_<name>). False without BTF.
bool kernel_has_tracepoint(const std::string& name);

}  // namespace srvprof
