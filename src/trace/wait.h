// What a blocked thread waited for. Internal to src/trace.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "trace/model.h"

namespace srvprof {

// Kernel function names, told by the innermost one that says something. kUnknown if none does.
class WaitClassifier {
 public:
  // `trace` must have its stacks, frames and meta ("host.machine" chooses the system call numbers).
  explicit WaitClassifier(const Trace& trace);

  // Of the blocked part of an interval. The stack decides, then the state letter, then the call.
  Wait classify(const OffInterval& off);

 private:
  Wait of_stack(std::uint64_t hash);
  Wait of_syscall(std::uint32_t nr) const;

  const Trace& trace_;
  bool arm64_ = false;
  std::unordered_map<std::uint64_t, Wait> by_stack_;
};

// Of one kernel function; kNone if it tells nothing (schedule, ...).
Wait wait_of_kernel_function(std::string_view name);

}  // namespace srvprof
