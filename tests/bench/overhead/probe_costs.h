// What each BPF program costs: ns a run and runs a request, for the table of bpf/README.md.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "measure.h"

namespace srvprof {

struct ProbeCost {
  std::string program;      // "tp_btf/sched_switch"
  std::uint64_t runs = 0;   // on the whole machine, those that a filter ends at once included
  double floor_ns = 0;      // a run with the gate closed: what the statistics themselves see
  // Above the floor: of slices of 50 ms the median of their means, by runs (on a busy machine the mean
  // over all is that of the worst slices), and the lowest tenth, to compare versions of a program with.
  double ns = 0, ns_low = 0;
  double runs_a_request = 0;
  double ns_a_request() const { return ns * runs_a_request; }
};

struct ProbeTable {
  std::string server;
  bool open_loop = false, full = false;
  double rate = 0;          // answered requests/s meanwhile
  std::uint64_t answered = 0;
  std::vector<ProbeCost> costs;  // programs that ran at all, in the order of the object
  double total_ns_a_request() const;
};

// Measures one server under one load: a second with the gate closed, then `options.pairs` * 0.25 s with
// everything on, statistics on meanwhile.
Result<ProbeTable> measure_probes(const BenchOptions& options, const std::string& name,
                                  const Server& server, bool open_loop, bool full, Shared& shared,
                                  std::vector<std::string>& notes);

// One Markdown table, as in bpf/README.md: a row a program, a column a measurement, each cell
// "runs a request x ns a run = ns a request".
std::string probe_markdown(const std::vector<ProbeTable>& tables);

}  // namespace srvprof
