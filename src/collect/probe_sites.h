// What lay at the places of probes before they were attached, and whether it lies there again.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/fd.h"
#include "recording/writer.h"
#include "target/maps.h"
#include "target/proc_fs.h"

struct stat;

namespace srvprof {

class ProbeSites {
 public:
  explicit ProbeSites(ProcFs fs) : fs_(std::move(fs)) {}

  // Remembers the instruction at `offset` of a file that `pid` maps, and the value of the probe's semaphore at
  // offset `semaphore` (0 = none). To be called before the probe is attached.
  void remember(pid_t pid, const Fd& file, std::uint64_t offset, std::uint64_t semaphore);
  // Looks again, after all probes were taken off, and says what was found. A process that has ended, or runs
  // another program now, counts as it is: nothing of ours is in it.
  void write_verdict(RecordingWriter& writer) const;

 private:
  struct Site {
    pid_t pid = 0;
    std::uint64_t address = 0;
    std::string bytes;
    bool semaphore = false;
  };
  void remember_at(pid_t pid, const struct ::stat& file, std::uint64_t offset, std::size_t length, bool semaphore);

  ProcFs fs_;
  std::map<pid_t, std::vector<MemoryMapping>> maps_;
  std::vector<Site> sites_;
};

}  // namespace srvprof
