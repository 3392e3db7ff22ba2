// What the collector's process does: the loop of src/collect/session.cc, turned on and off by commands.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/time.h"
#include "collect/decode.h"
#include "collect/frames.h"
#include "collect/governor.h"
#include "collect/live_stats.h"
#include "collect/probes.h"
#include "collect/snapshot.h"
#include "collect/stack_tables.h"
#include "recording/writer.h"
#include "shared.h"
#include "target/proc_fs.h"
#include "tracer.h"

namespace srvprof {

class Collector {
 public:
  Collector(const TracerOptions& options, Shared& shared)
      : options_(options), load_(shared.load), counters_(shared.tracer) {}

  // Reads the target, loads the probes, opens the recording.
  Status load();
  // Commands of Tracer; unknown ones are errors.
  Status obey(char command);
  // Time to sleep before turn(), in ms; -1 = until a command comes.
  int poll_ms() const;
  // One turn of the session's loop.
  void turn();

 private:
  Status on();
  Status off();
  void drain();
  void govern(double fill);
  void statistics(Time now);
  void publish();

  const TracerOptions& options_;
  const LoadCounters& load_;
  TracerCounters& counters_;
  ProcFs fs_;
  StackTables stacks_{fs_};
  std::unique_ptr<Probes> probes_;
  std::optional<RecordingWriter> writer_;
  std::optional<Snapshots> snapshots_;
  std::optional<FrameNamer> frames_;
  DecodeHooks hooks_;
  Governor governor_;
  LatencyHistogram latencies_;
  bool on_ = false, attached_ = false, statistics_on_ = false, statistics_held_ = false;
  Time last_turn_, statistics_since_;
  Duration since_round_{}, since_statistics_{};  // time switched on since the last one
  std::uint64_t requests_ = 0, records_ = 0, undecodable_ = 0, ring_total_ = 0;
  std::size_t ring_peak_ = 0;
  std::uint32_t one_in_max_ = 1;
};

}  // namespace srvprof
