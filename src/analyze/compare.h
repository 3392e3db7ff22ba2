// Run against run: what differs, and what goes with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

// One figure of both runs.
struct Change {
  std::string name, unit;  // "p99", "ms"
  double a = 0, b = 0;
  // Of a chance difference of at most 10 %, by permutation of blocks; nothing: not tested, or the
  // difference is smaller than that.
  std::optional<double> p_value;
  bool tested = false, different = false;
  std::string note;  // why it was not tested
};

// Mean of a tail request of one route.
struct StateChange {
  State state{};
  Duration a{}, b{};
};

struct CauseChange {
  std::string cause, title;
  Duration gap_a{}, gap_b{};  // of the gap, mean of a slow request
  double share_a = 0, share_b = 0;
  std::string culprit_a, culprit_b;  // the first one, in words
};

struct RouteChange {
  std::string route;
  std::uint64_t requests_a = 0, requests_b = 0;
  std::vector<Change> latency;
  std::vector<StateChange> tail;    // by size of the change, largest first
  std::vector<CauseChange> causes;  // the same
};

struct PhaseChange {
  std::string phase;
  std::size_t blocks_a = 0, blocks_b = 0;
  Duration block{};
  std::vector<Change> figures;  // throughput and latencies of all routes together
  std::vector<RouteChange> routes;
};

// CPU use of processes of one name, in CPUs.
struct ProcessChange {
  std::string comm, role;  // role: "target", "load generator", ""
  std::size_t processes_a = 0, processes_b = 0;
  double cpus_a = 0, cpus_b = 0;
  double runq_a = 0, runq_b = 0;  // seconds queued a second
};

struct Comparison {
  std::string file_a, file_b;
  std::string refused, hint;         // why the runs cannot be compared: then nothing else is filled
  bool different = false;            // of throughput, or p50 or p99 of all routes
  std::vector<std::string> verdict;  // the first is the sentence
  std::vector<PhaseChange> phases;
  std::vector<Change> facts;             // connections, migrations, GC, CPU: not tested
  std::vector<ProcessChange> processes;  // by size of the change, largest first
};

struct CompareOptions {
  std::string phase;        // only this one; empty = all but idle and warm-up
  bool mix_phases = false;  // all of the load as one phase
};

Comparison compare(const Trace& a, const Report& report_a, const Trace& b, const Report& report_b,
                   const CompareOptions& options);

}  // namespace srvprof
