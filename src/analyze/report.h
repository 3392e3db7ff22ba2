// What srvprof has to say about a recording, as plain data. Renderers turn it into bytes; they
// compute nothing. Durations are nanoseconds; shares are 0..1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/client_view.h"
#include "analyze/load_view.h"
#include "base/time.h"
#include "trace/ledger.h"

namespace srvprof {

// A percentile with its 95 % confidence interval (order statistics widened by a block bootstrap).
// enough: there are sufficient samples for it (p99 ~370, p99.9 ~3,700).
struct Percentile {
  double p = 0;  // 50, 99, 99.9
  Duration value{}, low{}, high{};
  bool enough = false;
};

struct Culprit {
  std::uint32_t pid = 0, tid = 0;
  std::string comm, cgroup, what;  // what: route, peer address, "this process's own threads", ...
  Duration time{};                 // per tail request, mean
  double share_of_gap = 0;
};

struct Finding {
  std::string cause;           // id, e.g. "runq-neighbour"
  std::string title;           // one line: "run queue, behind this process's own threads"
  double share = 0;            // of the gap between tail and body
  Duration gap{};              // that share in time per tail request, mean
  std::uint64_t requests = 0;  // tail requests in which it is at least 10 % of the excess
  std::uint64_t tail_requests = 0;
  std::uint64_t stalls = 0;  // distinct intervals that did it
  std::vector<std::string> evidence;
  std::vector<std::string> ruled_out;
  std::vector<std::string> tries;  // what to change
  std::vector<Culprit> culprits;
  std::optional<std::pair<Duration, Duration>> p99_without;  // estimate: from, to
  bool of_body = false;  // true: it is what the ordinary request is made of, not the gap
  bool share_is_of_client = false;  // true: share and gap are of what clients waited outside the server
};

struct LoadPhase {
  std::string name;  // "idle", "warm-up", "steady", ...
  Time begin, end;
  std::string why;  // why the boundary is where it is
  std::uint64_t requests = 0;
  // CPUs in use meanwhile, and seconds a second that the load generator was queued for one.
  bool cpu_known = false;
  double target_cpus = 0, generator_cpus = 0, generator_runq = 0, machine_cpus = 0;
};

// Requests of one route in one phase of the load.
struct Group {
  std::string route, phase;
  bool first_requests = false;  // the first request of each connection, kept apart
  std::uint64_t requests = 0, tail_requests = 0, body_requests = 0;
  std::uint64_t errors = 0;  // status >= 500 or aborted
  std::uint64_t censored = 0, aborted = 0, streams = 0, pipelined = 0;
  std::vector<std::pair<std::uint16_t, std::uint64_t>> statuses;
  std::vector<Percentile> percentiles;  // 50 90 95 99 99.9
  Duration max{}, mean{};
  Duration ttfb_p50{}, write_span_p99{};
  // Mean ledgers: Ledger cells divided by the number of requests.
  Ledger body, tail;
  Duration gap{};                // mean(tail) - mean(body)
  double unexplained_share = 0;  // of the tail's time, with unnamed parts
  bool explained = false;        // false: gap too small or too few requests
  std::string not_explained_why;
  std::vector<Finding> findings;  // by share, largest first
};

struct ExemplarTile {
  Duration offset{}, length{};
  LifePhase phase{};
  State state{};
  std::string who;    // in words, may be empty
  std::string where;  // innermost known frame of the stack, may be empty
};

struct Exemplar {
  std::uint64_t id = 0;
  std::string route, path, phase, flags;
  std::uint16_t status = 0;
  Time t_arrive;
  Duration latency{};
  Ledger ledger;
  std::vector<ExemplarTile> tiles;
  std::optional<ClientLedger> client;  // seen from its end, if that was traced
};

struct CoverageLine {
  enum class Level { kInfo, kNotMeasured, kLoss, kCost };
  Level level = Level::kInfo;
  std::string topic, text;
};

// Spans of one sort that a runtime went through during the recording.
struct CollectionTotals {
  std::string name, kind;  // "gc.pause", "mark-compact"; see rows::Span
  std::uint64_t count = 0;
  Duration time{}, longest{};
  Duration kept_off{};  // of the time, the collecting thread waited for a CPU or was throttled
};

// A process of the machine, averaged over the run.
struct MachineProcess {
  std::uint32_t pid = 0;
  std::string comm;
  double cpus = 0;  // CPU seconds per second
  double runq = 0;  // seconds queued per second
  bool target = false, load_generator = false;
};
using ProcessCpu = MachineProcess;

struct ReportHeader {
  std::string file, version, command, kernel, mode, start_utc;
  std::uint32_t pid = 0;
  std::string comm, argv, runtime;
  std::vector<std::uint32_t> ports;
  unsigned cpus = 0;
  Duration duration{};
  std::uint64_t requests = 0, lost = 0, connections = 0;
  std::uint64_t censored = 0, aborted = 0, streams = 0, pipelined = 0, left_out_at_attach = 0;
  bool governor_engaged = false;
  std::uint32_t governor_max_one_in = 1;
  Duration own_cost_per_request{};  // BPF run time per request, scaled from the sampled windows
  double collector_cpu_share = 0;   // of one CPU
  std::uint64_t collector_rss_bytes = 0, ring_bytes = 0;
  double target_cpus = 0, target_idle_share = 0;
  bool clean_end = false;
  std::string end_reason;
  std::vector<std::pair<std::string, std::uint64_t>> losses;
};

struct Report {
  ReportHeader header;
  std::vector<LoadPhase> phases;
  std::vector<Group> groups;         // by importance: the verdict's group first
  std::vector<std::string> verdict;  // the first is the sentence, the rest supports it
  std::vector<Exemplar> exemplars;
  std::vector<CoverageLine> coverage;
  std::vector<CollectionTotals> collections;  // by time, largest first
  std::vector<ProcessCpu> machine;  // by CPU use
  std::vector<LoadView> loads;      // the load generators' own results, joined
  std::optional<ClientView> client;  // requests seen from the load generator's end, if that was traced
};

struct ReportOptions {
  double tail_percentile = 99;
  std::string phase, route;  // empty = all
  std::size_t exemplars = 20;
  // Outputs of load generators to join besides what the recording holds; null = none.
  const std::vector<LoadInput>* loads = nullptr;
};

Report analyze(const Trace& trace, const std::string& file, const ReportOptions& options);

// The exemplar of one request (its ledger and tiles in words).
Exemplar exemplar_of(const Trace& trace, RequestId id);

// --- flame graphs
// ---------------------------------------------------------------------------------

struct FlameStack {
  std::vector<std::uint32_t> frames;  // indices into FlameData::labels, outermost first
  double weight = 0;                  // in FlameData::unit
  double baseline = 0;                // differential graphs: weight in the body
};

struct FlameData {
  std::string title, subtitle, unit;  // unit: "samples" or "ms"
  bool differential = false;
  std::vector<std::string> labels;
  std::vector<FlameStack> stacks;
};

enum class FlameKind { kOnCpu, kOffCpu, kWall };

struct FlameOptions {
  FlameKind kind = FlameKind::kOnCpu;
  std::string phase, route;    // empty = all
  double tail_percentile = 0;  // 0 = everything, 99 = only what slow requests met
  bool diff_body = false;      // tail minus body
};

FlameData flame(const Trace& trace, const FlameOptions& options);

// What `trace` has more (red) and less (blue) than `baseline`, a request each, since the runs differ
// in length and rate. options.diff_body is not looked at.
FlameData flame_between(const Trace& trace, const Trace& baseline, const FlameOptions& options);

}  // namespace srvprof
