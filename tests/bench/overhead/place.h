// Where the processes of the bench run, so that one does not disturb the other: a CPU, a session of
// their own (autogroups make nice useless between sessions) and the highest priority that is allowed.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"

namespace srvprof {

// Of the calling process: own session, pinned to `cpu`, autogroup and nice -20. What was refused is
// said in words (the measurement goes on without it). Precondition: it leads no process group.
std::vector<std::string> place_here(int cpu);

// Forks a process that ends with this one and runs `body` on `cpu`; its result is the exit code.
// `notes` gets what place_here() was refused.
Result<pid_t> fork_placed(int cpu, std::vector<std::string>& notes, const std::function<int()>& body);

// SIGTERM, after a second SIGKILL; waits for the end.
void end_process(pid_t pid);

// False if the process has ended (it is waited for then).
bool still_runs(pid_t pid);

// CPUs that this process may use, ascending.
std::vector<int> usable_cpus();

}  // namespace srvprof
