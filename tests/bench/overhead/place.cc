#include "place.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "base/fd.h"

namespace srvprof {
namespace {

constexpr int kPriority = -20;

std::string refused(std::string_view what) {
  return fmt::format("{} refused: {}", what, std::strerror(errno));
}

bool write_word(const char* path, std::string_view word) {
  Fd fd(::open(path, O_WRONLY | O_CLOEXEC));
  return fd.valid() && ::write(fd.get(), word.data(), word.size()) == static_cast<ssize_t>(word.size());
}

// Lines of `notes` over the pipe of fork_placed(); the end of the file ends them.
std::vector<std::string> read_notes(int fd) {
  std::string text;
  char buffer[512];
  ssize_t n = 0;
  while ((n = ::read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<std::size_t>(n));
  std::vector<std::string> notes;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    notes.push_back(text.substr(at, end - at));
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return notes;
}

}  // namespace

std::vector<std::string> place_here(int cpu) {
  std::vector<std::string> notes;
  if (::setsid() < 0) notes.push_back(refused("own session"));
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (::sched_setaffinity(0, sizeof set, &set) != 0) {
    notes.push_back(refused(fmt::format("pinning to CPU {}", cpu)));
  }
  if (!write_word("/proc/self/autogroup", std::to_string(kPriority)) && errno != ENOENT) {
    notes.push_back(refused("autogroup -20"));
  }
  if (::setpriority(PRIO_PROCESS, 0, kPriority) != 0) notes.push_back(refused("nice -20"));
  return notes;
}

Result<pid_t> fork_placed(int cpu, std::vector<std::string>& notes, const std::function<int()>& body) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return errno_error("pipe", errno);
  Fd in(ends[0]), out(ends[1]);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0) return errno_error("fork", errno);
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    std::string text;
    for (const std::string& note : place_here(cpu)) text += note + "\n";
    const bool told = ::write(out.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
    out.reset();
    in.reset();
    ::_exit(told ? body() : 1);
  }
  out.reset();
  notes = read_notes(in.get());
  return pid;
}

void end_process(pid_t pid) {
  ::kill(pid, SIGTERM);
  for (int i = 0; i < 100; ++i) {
    if (!still_runs(pid)) return;
    ::usleep(10'000);
  }
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
}

bool still_runs(pid_t pid) { return ::waitpid(pid, nullptr, WNOHANG) == 0; }

std::vector<int> usable_cpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace srvprof
