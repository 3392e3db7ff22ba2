// Questions to the running kernel's BTF. Without BTF the answer is always no.
#pragma once

#include <optional>
#include <string>

namespace srvprof {

// True if the kernel has the tracepoint (its BTF names btf_trace_<name>).
bool kernel_has_tracepoint(const std::string& name);

// Number of arguments of a tracepoint, or of a function of the kernel itself; nullopt if there is none.
std::optional<unsigned> tracepoint_args(const std::string& name);
std::optional<unsigned> kernel_function_args(const std::string& name);

// True if programs that the kernel runs at a tracepoint may be preempted there.
bool kernel_preempts_tracepoints();

// True if the kernel knows the BPF helper bpf_<name>. Whether a kind of program may call it is another question.
bool kernel_has_helper(const std::string& name);

}  // namespace srvprof
