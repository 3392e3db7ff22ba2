// Which processes have probes on their runtimes' code: targets at the begin, children and new programs later.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "collect/span_probes.h"
#include "recording/writer.h"
#include "runtime/spans.h"
#include "target/process.h"

namespace srvprof {

class RuntimeProbes {
 public:
  // `probes` outlives this.
  RuntimeProbes(ProcFs fs, SpanProbes& probes, SpanWishes wishes)
      : fs_(std::move(fs)), probes_(probes), wishes_(wishes) {}

  // Probes the runtimes of a process, unless it has them already. What is known of a program serves all of its
  // processes: finding the functions takes a while. What cannot be found out is written down.
  void attach(const SpanHooks& hooks, const ProcessInfo& process, RecordingWriter& writer);
  // Processes that had no runtime when they were looked at: a JVM or an interpreter may be a library that is
  // loaded late. About once a second, a few times for each.
  void look_again(const SpanHooks& hooks, RecordingWriter& writer);

 private:
  // An executable: device and inode, zeros if it cannot be told.
  using ProgramFile = std::pair<std::uint64_t, std::uint64_t>;
  ProgramFile program_of(pid_t pid) const;

  ProcFs fs_;
  SpanProbes& probes_;
  SpanWishes wishes_;
  std::map<ProgramFile, std::vector<SpanPlan>> plans_;
  std::map<pid_t, int> looks_;           // how often without finding a runtime
  std::vector<pid_t> unprobed_;          // to be looked at again
  std::map<pid_t, ProgramFile> probed_;  // which program of a process has its probes
};

}  // namespace srvprof
