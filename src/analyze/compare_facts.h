// The facts of a run that a comparison sets side by side.
#pragma once

#include <vector>

#include "analyze/compare.h"

namespace srvprof {

struct Window {
  Time begin, end;
};

// Connection balance, placement, migrations, GC, CPU a request: of the windows of both runs.
std::vector<Change> changed_facts(const Trace& a, const std::vector<Window>& in_a, const Trace& b,
                                  const std::vector<Window>& in_b);

// CPU of all processes by name; those below 0.02 CPUs in both runs are left out.
std::vector<ProcessChange> changed_processes(const Trace& a, const std::vector<Window>& in_a,
                                             const Trace& b, const std::vector<Window>& in_b);

// What the processes' CPU says about a changed throughput, in words: a starved load generator and
// who had the CPUs. Empty if nothing of the kind shows.
std::vector<std::string> machine_words(const std::vector<ProcessChange>& processes,
                                       double rate_ratio);

}  // namespace srvprof
