#include "collect/load_command.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <utility>

#include "base/escape.h"
#include "target/proc_fs.h"

namespace srvprof {
namespace {

constexpr int kLooks = 100;  // after each signal, 10 ms apart

// Whether a process of this group has more left than its exit status.
bool any_living(pid_t group) {
  const ProcFs fs;
  const auto pids = list_numbers(fs.proc);
  if (!pids.ok()) return true;
  return std::any_of(pids->begin(), pids->end(), [&](pid_t pid) {
    const auto stat = read_pid_file(fs, pid, "stat");
    if (!stat.ok()) return false;
    // "pid (comm) state ppid pgrp ...": a comm may hold blanks and brackets.
    const std::size_t name_end = stat->rfind(')');
    char state = 'Z';
    int parent = 0, its_group = 0;
    if (name_end == std::string::npos ||
        std::sscanf(stat->c_str() + name_end + 1, " %c %d %d", &state, &parent, &its_group) != 3) {
      return false;
    }
    return its_group == group && state != 'Z' && state != 'X';
  });
}

// Runs in the child; only async-signal-safe calls. Reports a failed exec through `report`.
[[noreturn]] void run_child(char* const* argv, uid_t uid, gid_t gid, pid_t parent, int out,
                            int report) {
  // Of a process group in the background a read of the terminal stops it, for good.
  if (::isatty(STDIN_FILENO) == 1) {
    const int null = ::open("/dev/null", O_RDONLY);
    if (null >= 0) ::dup2(null, STDIN_FILENO), ::close(null);
  }
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

Error cannot_start(const std::string& program, int e) {
  Error error = errno_error("starting the load command '" + escape_text(program) + "'", e);
  error.kind = ErrorKind::kFailed;
  error.hint = "write the program and its arguments after --, as in: -- wrk -c64 -d10s URL";
  return error;
}

bool is_program(const std::string& path) {
  struct stat st {};
  return ::stat(path.c_str(), &st) == 0 && S_ISREG(st.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

Status check_load_command(const std::string& program) {
  if (program.find('/') != std::string::npos) {
    if (is_program(program)) return {};
    return cannot_start(program, ::access(program.c_str(), F_OK) == 0 ? EACCES : ENOENT);
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";  // as execvp does
  while (true) {
    const std::string folder(rest.substr(0, rest.find(':')));
    if (is_program(folder.empty() ? program : folder + '/' + program)) return {};
    if (rest.find(':') == std::string_view::npos) return cannot_start(program, ENOENT);
    rest.remove_prefix(rest.find(':') + 1);
  }
}

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
    return cannot_start(argv[0], failed);
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
      stopped_(o.stopped_),
      left_(o.left_),
      exit_status_(o.exit_status_),
      started_(o.started_),
      ended_(o.ended_),
      output_(std::move(o.output_)),
      fresh_(std::move(o.fresh_)),
      ending_(std::move(o.ending_)) {}

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
  left_ = group_runs();  // asked at once: a group without members may soon be another's
  drain();
  exit_status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return false;
}

// Whether something that it started is there: what has left its group is not known.
bool LoadCommand::group_runs() const { return ::kill(-pid_, 0) == 0 && any_living(pid_); }

// True once all of the group has ended.
bool LoadCommand::end_within_patience(int signal, const std::function<bool()>& patient) {
  ::kill(-pid_, signal);
  for (int i = 0; i < kLooks; ++i) {
    if (!poll() && !(left_ && group_runs())) return true;
    if (patient && !patient()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

void LoadCommand::stop(const std::function<bool()>& patient) {
  const bool ran = poll();
  if (pid_ == 0 || stopped_) return;
  stopped_ = true;
  if (!ran && !(left_ && group_runs())) return;
  ending_ = ran ? "it still ran when the recording ended: it was asked to end"
                : "it had ended, but processes that it had started ran on: they were asked to end";
  if (end_within_patience(SIGINT, patient) || end_within_patience(SIGTERM, patient)) return;
  ending_ += ", did not, and had to be killed";
  ::kill(-pid_, SIGKILL);
  while (poll()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  drain();
}

std::string LoadCommand::take_new_output() { return std::exchange(fresh_, {}); }

}  // namespace srvprof
