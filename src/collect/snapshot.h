// Facts that are read once a second and not traced: who uses the machine, quota, losses, own cost.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "collect/probes.h"
#include "collect/watchdog.h"
#include "recording/writer.h"
#include "target/cgroup.h"
#include "target/machine.h"
#include "target/process.h"

namespace srvprof {

class Snapshots {
 public:
  Snapshots(ProcFs fs, const ProcessInfo& target);

  // The gate is about to open: what the kernel skipped before is no loss.
  void begin(const Probes& probes);
  // Writes one round of rows. `ring_peak`: most bytes found in the ring since the last round.
  void take(Probes& probes, std::size_t ring_peak, std::uint64_t ring_total, RecordingWriter& writer);
  // Writes the processes of connections' far ends: Process rows and "peer.<port>" facts. One pass over
  // all processes (milliseconds): called when there are new connections, at most every few seconds.
  // Returns the processes.
  std::vector<std::uint32_t> name_peers(std::uint32_t pid, RecordingWriter& writer);
  // A connection whose far end shall be named at the next name_peers().
  void want_peer(const rows::Conn& conn);
  bool peers_wanted() const { return !wanted_.empty(); }
  // Writes a Process row the first time that pid is met.
  void name_process(std::uint32_t pid, bool target, RecordingWriter& writer);
  // One window of run-time statistics of our programs.
  void add_bpf_time(const BpfRunTime& window, Duration length);
  // Records for which there was no room, and events that the kernel skipped.
  std::uint64_t lost() const { return lost_total_ + skipped_total_; }
  // What the watchdog looks at, as of the last round; the network's counters are read now.
  Watchdog::Sums sums(std::uint64_t requests) const;
  // At the end: how many switches had to be reckoned (SP_LOSS_SWITCH).
  void write_switches(RecordingWriter& writer) const;

 private:
  void cpu_use(Time now, RecordingWriter& writer);
  void quota(Time now, RecordingWriter& writer);
  void losses(Time now, const sp_shared& shared, RecordingWriter& writer);
  void skipped(Time now, const Probes& probes, RecordingWriter& writer);
  void counters(Time now, const sp_shared& shared, RecordingWriter& writer);
  void own_cost(Time now, std::size_t ring_peak, std::uint64_t ring_total, std::size_t ring_size,
                RecordingWriter& writer);

  struct Use {
    std::uint64_t start_ticks = 0;
    Duration cpu{}, runq{};
  };
  ProcFs fs_;
  ProcessInfo target_;
  std::optional<CpuCgroup> cgroup_;
  std::unordered_map<std::uint32_t, Use> use_;
  Time last_use_, last_loss_;
  std::vector<std::uint64_t> lost_;
  std::uint64_t lost_total_ = 0, unseen_switches_ = 0, skipped_total_ = 0;
  std::map<std::string, std::uint64_t> skipped_;
  std::vector<rows::Conn> wanted_;
  std::unordered_set<std::uint32_t> peer_ports_;
  std::unordered_set<std::uint32_t> named_;
  std::unordered_set<std::uint32_t> targets_;
  Duration target_cpu_{};
  BpfRunTime bpf_;
  Duration bpf_window_{}, bpf_reckoned_{};
  double bpf_load_ = 0;  // CPUs that our programs took in the last window
};

}  // namespace srvprof
