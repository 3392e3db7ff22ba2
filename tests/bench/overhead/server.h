// A server under test, started by the bench.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace srvprof {

struct ServerSpec {
  std::string name;                // "node"
  std::vector<std::string> argv;   // "{port}" is replaced in each word
};

// CPU time of all threads so far, and the time that they were queued for a CPU.
struct ServerTime {
  std::uint64_t cpu_ns = 0, runq_ns = 0;
};

class Server {
 public:
  // Returns when it accepts connections. `notes`: see place_here().
  static Result<Server> start(const ServerSpec& spec, int cpu, std::vector<std::string>& notes);
  Server(Server&& other) noexcept;
  Server& operator=(Server&&) = delete;
  ~Server();

  pid_t pid() const { return pid_; }
  std::uint16_t port() const { return port_; }
  Result<ServerTime> time() const;

 private:
  Server(pid_t pid, std::uint16_t port) : pid_(pid), port_(port) {}
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

}  // namespace srvprof
