// A load command started by srvprof: its own process, run as the user behind sudo, which dies with
// srvprof; what it prints is kept and shown.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace srvprof {

class LoadCommand {
 public:
  static constexpr std::size_t kKeptOutput = 10u << 20;

  // Starts argv (found through PATH). A command that cannot be executed is an error here, not later.
  static Result<LoadCommand> start(const std::vector<std::string>& argv, uid_t uid, gid_t gid);

  LoadCommand(LoadCommand&&) noexcept;
  LoadCommand& operator=(LoadCommand&&) = delete;
  ~LoadCommand();  // ends it if it still runs

  pid_t pid() const { return pid_; }
  Time started() const { return started_; }
  // Takes its output; true while it runs.
  bool poll();
  // SIGTERM, then SIGKILL after a second.
  void stop();
  // Of an ended command: 0..255, or 128 + signal.
  int exit_status() const { return exit_status_; }
  Time ended() const { return ended_; }
  const std::string& output() const { return output_; }
  // Output since the last call, for the terminal.
  std::string take_new_output();

 private:
  LoadCommand() = default;
  void drain();

  pid_t pid_ = 0;
  Fd out_;
  bool running_ = false;
  int exit_status_ = 0;
  Time started_, ended_;
  std::string output_;
  std::string fresh_;
};

}  // namespace srvprof
