// The collector as a process of its own, as `srvprof attach` is one, that can be switched on and off.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "shared.h"

namespace srvprof {

struct TracerOptions {
  pid_t target = 0;
  bool full = false;
  std::string capture = "auto";
  std::string directory;  // where the recording is written (and removed)
  int cpu = 1;
};

class Tracer {
 public:
  // Starts the process; the probes are loaded and not attached. Errors: as Probes::load().
  static Result<Tracer> start(const TracerOptions& options, Shared& shared,
                              std::vector<std::string>& notes);
  Tracer(Tracer&& other) noexcept;
  Tracer& operator=(Tracer&&) = delete;
  ~Tracer();

  Status on() { return ask('A'); }           // attach and activate
  Status off() { return ask('D'); }          // detach and drain
  Status attach_closed() { return ask('C'); }  // attached, its gate closed
  Status open_gate() { return ask('G'); }
  Status begin_statistics() { return ask('S'); }
  Status end_statistics() { return ask('s'); }
  // Brings every counter, TracerCounters::program too, up to date.
  Status update() { return ask('R'); }

 private:
  Tracer(pid_t pid, Fd socket, TracerCounters& counters)
      : pid_(pid), socket_(std::move(socket)), counters_(&counters) {}
  Status ask(char command);

  pid_t pid_ = 0;
  Fd socket_;
  TracerCounters* counters_;
};

}  // namespace srvprof
