// The load side of a report: what a load generator counted and measured, beside what was recorded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "loadgen/client_run.h"

namespace srvprof {

// The output of a load generator that was given by the user (--load FILE).
struct LoadInput {
  std::string name;  // of the file
  ClientRun run;
};

// One percentile at both ends of the connections.
struct BothEnds {
  double p = 0;
  // As the generator printed or measured it: LoadView::client_kind says from when on.
  std::optional<Duration> client;
  // From when the request was due: measured by an open loop, else estimated from the samples.
  std::optional<Duration> client_intended;
  // What passed at the generator's end of the connections, where that was traced: from its send to its
  // read of the answer's end. A generator's own figure holds more: what its code did before and after.
  std::optional<Duration> seen;
  std::optional<Duration> server;           // arrival to last write
  std::optional<Duration> server_intended;  // estimate, only for a closed loop
  bool enough = false;                      // there are enough requests for it at the server
};

// The generator's requests of one phase, or of all of its run.
struct LoadPart {
  std::string phase;  // empty: the whole run of the generator
  std::uint64_t client_requests = 0, server_requests = 0, seen_requests = 0;
  std::optional<Duration> client_mean, seen_mean, server_mean;  // as in BothEnds
  std::vector<BothEnds> percentiles;  // 50 90 95 99 99.9
};

// Does the generator wait for an answer before it sends the next request?
enum class LoopKind { kUnknown, kClosed, kOpen };

// What the difference between the client's mean latency and the server's is made of, where the client's end
// was traced. The parts add up to the difference.
struct ClientGap {
  Duration difference{};
  Duration send{};  // connecting, sending, the way to the server
  Duration runq{};  // its threads waited for a CPU
  Duration own{};   // its own code ran
  Duration other{};  // none of its threads ran or wanted to, or it is not known
  // Of runq and own: in the generator itself, before its send or after its read. By what its threads did between
  // requests, so an estimate.
  Duration inside{};
};

struct LoadView {
  std::string source;   // "wrk (pid 4310), started by srvprof", "file hey.csv"
  std::string problem;  // why its output could not be read: then there is nothing else
  std::string tool, format, target;
  std::uint32_t pid = 0;  // 0 = not known
  Time begin, end;        // its run, as aligned with the recording
  std::string aligned;    // how, in words
  std::string ended;      // of a command: how, unless by itself and with status 0
  std::uint64_t connections = 0;

  std::optional<std::uint64_t> counted;     // whole answers, by the generator
  std::optional<std::uint64_t> unanswered;  // by the generator
  std::uint64_t recorded = 0;               // requests on its connections
  std::uint64_t open_at_end = 0;            // of these at most so many it could not count
  bool counts_agree = false;
  std::vector<std::string> count_lines;  // the difference explained

  LoopKind loop = LoopKind::kUnknown;
  std::string loop_why;
  // Closed loop: from an answer's last write to the next request's arrival on that connection.
  std::optional<Duration> turnaround_p50, turnaround_p99, turnaround_mean;

  std::string client_kind;         // "as sent", "as intended", "corrected by the tool"
  Duration resolution{};           // of the generator's latencies
  bool client_estimate = false;    // client_intended is an estimate, not measured
  LoadPart whole;                  // phases mixed, as the generator's own figures are
  std::vector<LoadPart> phases;    // only those with requests; empty if there is one phase
  std::vector<std::string> gap;    // where the difference between both ends lies
  std::optional<ClientGap> client_gap;
  std::vector<std::string> notes;  // traps of the format
};

std::string_view name_of(LoopKind kind);  // "closed", "open", "unknown"

}  // namespace srvprof
