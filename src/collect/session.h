// Live capture: probes on, records in, a recording out. The only folder that knows libbpf.
// Needs root, or CAP_BPF + CAP_PERFMON + CAP_SYS_PTRACE (names, user stacks) on a kernel with BTF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace srvprof {

struct CaptureOptions {
  std::vector<std::uint32_t> pids;  // targets, at least one
  std::string output;               // path of the recording; must not exist
  unsigned frequency = 99;          // on-CPU samples a second and CPU, 1..999; 0 = no samples
  std::size_t ring_bytes = 0;       // 0 = chosen by the target; rounded up to a power of two
  std::string capture = "auto";     // a name of capture_ways(): how socket reads and writes are seen
  bool full = false;                // every off-CPU stack, interrupts
  bool irq = false;                 // interrupts and softirqs on top of the target
  bool keep_query = false;          // query strings reach the disk
  bool jvm_perf_map = false;        // ask JVMs to list their compiled code: writes on the target's side
  bool gc_assists = false;          // probe each assist of Go's collector
  bool follow_children = false;     // child processes of the targets, now and later
  std::optional<double> max_overhead;  // share of the targets' CPU time; nothing = Watchdog's own limits
  // Whose end of the target's connections is traced, too, if it is a process of this machine.
  enum class Clients { kStarted, kAll, kNone };  // kStarted: only the load command's
  Clients clients = Clients::kStarted;
  std::optional<Duration> duration;
  std::vector<std::string> load_argv;  // load command to run once the probes are live
  std::string command_line;            // for the recording's header
  std::uint32_t owner_uid = 0, owner_gid = 0;  // owner of the recording; the load runs as them
};

struct Progress {
  Duration elapsed{};
  std::uint64_t requests = 0, lost = 0;
  double rate = 0;       // requests/s over the last second
  Duration p50{}, p99{}; // server latency over the last second
  std::string stage;     // "steady", or the user's mark
  Duration stage_since{};  // since the recording's begin
};

struct CaptureHooks {
  std::function<void(const std::string&)> message;  // one line for the user ("tracing pid ...")
  std::function<void(const Progress&)> progress;    // about once a second
  std::function<int()> stop_requested;              // 0 go on, 1 stop in order, 2 abort
};

struct CaptureResult {
  std::string path, end_reason;
  std::uint64_t requests = 0, lost = 0;
  bool incomplete = false;  // losses above the limit, or ended by the watchdog: exit code 6
  std::string watchdog;     // why it ended the recording before its time; "" = it did not
};

// Records until the duration is over, a stop is requested, the load command ends, or the target is
// gone. On return nothing of ours is attached any more, the load command and what it started have ended,
// and the recording is closed. Errors: aborted by a second request (kAborted; the file is readable), no
// permission (kPermission), kernel or feature missing (kKernel), no such target (kNoTarget), the output
// cannot be written. What was written before a late error stays readable.
Result<CaptureResult> capture(const CaptureOptions& options, const CaptureHooks& hooks);

struct ProbeInfo {
  std::string name;    // "tp_btf/sched_switch"
  std::string purpose;
  std::string cost;    // measured: ns a hit, hits a request (bpf/README.md)
  bool optional = false;
};
// Those of one way of capture; "auto" stands for the best that this kernel may have, "" for all.
std::vector<ProbeInfo> list_probes(const std::string& capture);
// "auto" and the ways of capture, best first.
std::vector<std::string> capture_ways();

struct DoctorLine {
  std::string name;
  bool ok = false, required = true;
  std::string found, needed, fix;       // fix: the exact command, may be empty
  ErrorKind kind = ErrorKind::kFailed;  // kPermission or kKernel if !ok
};
// What this kernel and these privileges allow, probe by probe. Loads and attaches nothing that stays. With
// `print_log`, all that the kernel's verifier says of what it refuses goes to stderr.
std::vector<DoctorLine> doctor(bool print_log);

}  // namespace srvprof
