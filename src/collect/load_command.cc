#include "collect/load_command.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

namespace srvprof {
namespace {

// Runs in the child; only async-signal-safe calls. Reports a failed exec through `report`.
[[noreturn]] void run_child(char* const* argv, uid_t uid, gid_t gid, pid_t parent, int out,
                            int report) {
  ::dup2(out, STDOUT_FILENO);
  ::dup2(out, STDERR_FILENO);
  if (::geteuid() == 0 && uid != 0) {
    if (::setgroups(0, nullptr) != 0 || ::setgid(gid) != 0 || ::setuid(uid) != 0) {
      const int e = errno;
      (void)!::write(report, &e, sizeof e);
      ::_exit(127);
    }
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // after setuid, which clears it
  if (::getppid() != parent) ::_exit(127);
  ::setpgid(0, 0);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(s, SIG_DFL);
  ::execvp(argv[0], argv);
  const int e = errno;
  (void)!::write(report, &e, sizeof e);
  ::_exit(127);
}

}  // namespace

Result<LoadCommand> LoadCommand::start(const std::vector<std::string>& argv, uid_t uid, gid_t gid) {
  int out[2], report[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return errno_error("starting the load: pipe", errno);
  Fd out_read(out[0]), out_write(out[1]);
  if (::pipe2(report, O_CLOEXEC) != 0) return errno_error("starting the load: pipe", errno);
  Fd report_read(report[0]), report_write(report[1]);
  std::vector<char*> words;
  for (const std::string& word : argv) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("starting the load: fork", errno);
  if (pid == 0) run_child(words.data(), uid, gid, parent, out_write.get(), report_write.get());
  report_write.reset();
  int failed = 0;
  ssize_t n = 0;
  while ((n = ::read(report_read.get(), &failed, sizeof failed)) < 0 && errno == EINTR) {
  }
  if (n > 0) {
    ::waitpid(pid, nullptr, 0);
    Error e = errno_error("starting the load command '" + argv[0] + "'", failed);
    e.kind = ErrorKind::kFailed;
    e.hint = "write the program and its arguments after --, as in: -- wrk -c64 -d10s URL";
    return e;
  }
  ::fcntl(out_read.get(), F_SETFL, O_NONBLOCK);
  LoadCommand c;
  c.pid_ = pid;
  c.out_ = std::move(out_read);
  c.running_ = true;
  c.started_ = MonotonicClock::now();
  return c;
}

LoadCommand::LoadCommand(LoadCommand&& o) noexcept
    : pid_(std::exchange(o.pid_, 0)),
      out_(std::move(o.out_)),
      running_(std::exchange(o.running_, false)),
      exit_status_(o.exit_status_),
      started_(o.started_),
      ended_(o.ended_),
      output_(std::move(o.output_)),
      fresh_(std::move(o.fresh_)) {}

LoadCommand::~LoadCommand() { stop(); }

void LoadCommand::drain() {
  char buffer[16384];
  for (int i = 0; i < 64; ++i) {
    const ssize_t n = ::read(out_.get(), buffer, sizeof buffer);
    if (n <= 0) return;
    output_.append(buffer, static_cast<std::size_t>(n));
    fresh_.append(buffer, static_cast<std::size_t>(n));
    if (output_.size() > 2 * kKeptOutput) output_.erase(0, output_.size() - kKeptOutput);
    if (fresh_.size() > kKeptOutput) fresh_.clear();
  }
}

bool LoadCommand::poll() {
  if (!running_) return false;
  drain();
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  ended_ = MonotonicClock::now();
  running_ = false;
  drain();
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return false;
}

void LoadCommand::stop() {
  if (!running_) return;
  ::kill(-pid_, SIGTERM);
  for (int i = 0; i < 100 && poll(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (!running_) return;
  ::kill(-pid_, SIGKILL);
  while (poll()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

std::string LoadCommand::take_new_output() { return std::exchange(fresh_, {}); }

}  // namespace srvprof
