// A load command started by srvprof: its own process, run as the user behind sudo, which dies with
// srvprof; what it prints is kept and shown. It is over when its process has ended, whoever still holds
// its output: what it leaves running is ended with it. It reads srvprof's standard input unless that is
// a terminal, whose keys are srvprof's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/time.h"

namespace srvprof {

// An error if there is no such program, neither at this path nor, without a slash, in PATH: known before
// any probe is attached.
Status check_load_command(const std::string& program);

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
  // Ends it and what it started: asks as Ctrl-C does, upon which generators print their figures, with
  // SIGTERM a second later, kills after one more. `patient`, if given, is called every 10 ms; once it
  // says false there is no more waiting.
  void stop(const std::function<bool()>& patient = {});
  // How it came to its end, a sentence without full stop; empty: by itself, with all that it started.
  const std::string& ending() const { return ending_; }
  // Of an ended command: 0..255, or 128 + signal.
  int exit_status() const { return exit_status_; }
  Time ended() const { return ended_; }
  const std::string& output() const { return output_; }
  // Output since the last call, for the terminal.
  std::string take_new_output();

 private:
  LoadCommand() = default;
  void drain();
  bool group_runs() const;
  bool end_within_patience(int signal, const std::function<bool()>& patient);

  pid_t pid_ = 0;
  Fd out_;
  bool running_ = false, stopped_ = false;
  bool left_ = false;  // when its process ended, others of its group ran on
  int exit_status_ = 0;
  Time started_, ended_;
  std::string output_, fresh_, ending_;
};

}  // namespace srvprof
