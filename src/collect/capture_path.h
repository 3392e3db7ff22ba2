// The ways of seeing reads and writes on sockets, best first: kernels before 6.3 have no socket
// tracepoints. All send the same records; what a way cannot see is stated in the recording.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

struct bpf_program;
struct srvprof_bpf;

namespace srvprof {

struct CapturePath {
  enum class Way { kSock, kPerf, kFexit, kKprobe, kSys };
  Way way;
  const char* name;    // as in --capture
  const char* hooks;   // what it hooks
  const char* unseen;  // what only better ways see; empty: nothing
};

std::span<const CapturePath> capture_paths();
// nullptr if there is none of this name.
const CapturePath* find_capture_path(std::string_view name);

// Whether it is tried where no way is named: the events of perf only where tracepoints may be preempted.
bool tried_by_itself(const CapturePath& path);
// Whether the kernel may preempt a thread in the way's programs on sockets, and skips events of others then.
bool kernel_may_skip(const CapturePath& path);
// Whether the way has programs for the load generator's side.
bool has_clients(const CapturePath& path);

// Why the kernel cannot have it, as far as its BTF tells. Errors: kKernel.
Status kernel_may_have(const CapturePath& path);

// Programs that are loaded for this way only, as the running kernel needs them.
std::vector<bpf_program*> programs_of(const CapturePath& path, srvprof_bpf& skel);

// Turns programs and maps on or off for this way on the running kernel. After open, before load.
void choose_programs(const CapturePath& path, bool irq, srvprof_bpf& skel);

// Why user stacks cannot be walked by tables here; ok if loading may be tried.
Status kernel_may_walk();
// Whether probes on the target's own code can tell which of them was hit (attach cookies, 5.15).
bool kernel_has_cookies();

}  // namespace srvprof
