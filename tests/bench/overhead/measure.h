// One load run in which the tracer is switched off and on in turn.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "load.h"
#include "results.h"
#include "server.h"
#include "shared.h"

namespace srvprof {

struct BenchOptions {
  std::vector<ServerSpec> servers;
  std::string path = "/items?page=1";
  unsigned connections = 64, pairs = 16;
  Duration settle = std::chrono::milliseconds(100), window = std::chrono::milliseconds(400);
  int server_cpu = 0, load_cpu = 1;
  std::vector<Mode> modes = {Mode::kControl, Mode::kDefault, Mode::kFull};
  bool closed_loop = true, open_loop = true;
  bool probes = false;
  bool load_only = false;
  unsigned load_rate = 0, seconds = 10;  // load_only: rate (0 = closed loop), duration
  std::uint16_t load_port = 0;
  std::string capture = "auto";  // as srvprof attach --capture
  std::string json, directory = "/tmp";
};

// The generator as a process; ends with the object.
class LoadProcess {
 public:
  static Result<LoadProcess> start(const LoadOptions& options, int cpu, LoadCounters& counters,
                                   std::vector<std::string>& notes);
  LoadProcess(LoadProcess&& other) noexcept;
  LoadProcess& operator=(LoadProcess&&) = delete;
  ~LoadProcess();
  // The generator's error if it has ended.
  Status check();

 private:
  LoadProcess(pid_t pid, LoadCounters& counters) : pid_(pid), counters_(&counters) {}
  pid_t pid_ = 0;
  LoadCounters* counters_;
};

void sleep_for(Duration d);

// Requests/s of the closed loop over `d`, the tracer being off.
double measure_rate(const LoadCounters& counters, Duration d);

// Starts the load, switches the tracer (unless the mode is kControl) between the windows AB, BA ...
Result<Case> run_case(const BenchOptions& options, const std::string& name, const Server& server,
                      bool open_loop, Mode mode, Shared& shared, std::vector<std::string>& notes);

}  // namespace srvprof
