#include "runtime/jvm_attach.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include <fmt/format.h>

#include "base/escape.h"
#include "base/parse.h"
#include "target/open.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPoll = 20ms;
constexpr std::size_t kMaxAnswer = 4096;

Error failed(std::string why, std::string hint = "") {
  return Error{"asking the JVM for its perf map: " + std::move(why), std::move(hint), {}};
}

// The target's /tmp. Anybody may write there, so what is in it is opened without following links.
Result<Fd> open_tmp(const ProcFs& fs, const ProcessInfo& process) {
  const std::string path = pid_path(fs, process.pid, "root") + "/tmp";
  Fd tmp(::open(path.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!tmp.valid()) return errno_error("opening /tmp of the target", errno);
  return tmp;
}

// The JVM's socket, if it is one of the JVM's own user.
Fd find_socket(const Fd& tmp, const ProcessInfo& process) {
  const std::string name = fmt::format(".java_pid{}", process.ns_pid);
  Fd socket(::openat(tmp.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat st {};
  if (!socket.valid() || ::fstat(socket.get(), &st) != 0 || !S_ISSOCK(st.st_mode) || st.st_uid != process.uid) {
    return {};
  }
  return socket;
}

// A file that tells the JVM to listen when SIGQUIT comes; gone again at the end.
class Trigger {
 public:
  Trigger(const Fd& tmp, const ProcessInfo& process)
      : tmp_(tmp), name_(fmt::format(".attach_pid{}", process.ns_pid)) {
    file_ = Fd(::openat(tmp.get(), name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (file_.valid() && ::fchown(file_.get(), process.uid, static_cast<gid_t>(-1)) != 0) error_ = errno;
  }
  ~Trigger() {
    if (file_.valid()) (void)::unlinkat(tmp_.get(), name_.c_str(), 0);
  }
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;
  bool made() const { return file_.valid() && error_ == 0; }

 private:
  const Fd& tmp_;
  std::string name_;
  Fd file_;
  int error_ = 0;
};

// With -Xrs nobody handles SIGQUIT: it would end the JVM.
bool handles_sigquit(const ProcFs& fs, pid_t pid) {
  const auto text = read_pid_file(fs, pid, "status");
  return text.ok() && (parse_proc_status(*text).signals_caught >> (SIGQUIT - 1) & 1) != 0;
}

Result<Fd> wait_for_socket(const ProcFs& fs, const ProcessInfo& process, Time deadline) {
  const Fd tmp = TRY(open_tmp(fs, process));
  if (Fd there = find_socket(tmp, process); there.valid()) return there;
  if (!handles_sigquit(fs, process.pid)) {
    return failed("it has no handler for SIGQUIT (-Xrs?), which would end it");
  }
  const Trigger trigger(tmp, process);
  if (!trigger.made()) return failed("its /tmp cannot be written to");
  if (!is_alive(fs, process) || ::kill(process.pid, SIGQUIT) != 0) return failed("it has ended");
  while (MonotonicClock::now() < deadline) {
    if (Fd there = find_socket(tmp, process); there.valid()) return there;
    std::this_thread::sleep_for(kPoll);
  }
  return failed("it does not listen", "attaching may be switched off: -XX:+DisableAttachMechanism");
}

Result<Fd> connect_to(const Fd& socket) {
  Fd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return errno_error("asking the JVM for its perf map: socket", errno);
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  // Through the open descriptor: whatever lies at the name by now.
  const std::string path = path_of_open_file(socket);
  std::copy_n(path.begin(), std::min(path.size(), sizeof to.sun_path - 1), to.sun_path);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    return errno_error("asking the JVM for its perf map: connect", errno);
  }
  return fd;
}

// Version, command and three arguments, each with its zero.
bool send_request(const Fd& fd) {
  constexpr char kRequest[] = "1\0jcmd\0Compiler.perfmap\0\0";  // and the zero of the literal
  return ::send(fd.get(), kRequest, sizeof kRequest, MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof kRequest);
}

std::string read_answer(const Fd& fd, Time deadline) {
  std::string answer;
  while (answer.size() < kMaxAnswer) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - MonotonicClock::now());
    pollfd wait{fd.get(), POLLIN, 0};
    if (left.count() <= 0 || ::poll(&wait, 1, static_cast<int>(left.count())) != 1) break;
    char buffer[512];
    const ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(n));
  }
  return answer;
}

}  // namespace

Status judge_jvm_answer(std::string_view answer) {
  std::string_view rest = answer;
  const std::string_view code = trim(next_until(rest, '\n'));
  if (answer.empty()) return failed("it did not answer");
  // A command that the JVM does not know is told in words, after a 0 or a 1.
  const std::string_view said = trim(next_until(rest, '\n'));
  if (code == "0" && said.find("xception") == std::string_view::npos) return {};
  return failed(said.empty() ? fmt::format("it answered {}", escape_text(code.substr(0, 20)))
                             : escape_text(said.substr(0, 200)),
                "Compiler.perfmap came with JDK 17");
}

Status write_jvm_perf_map(const ProcFs& fs, const ProcessInfo& process, Duration patience) {
  const Time deadline = MonotonicClock::now() + patience;
  const Fd socket = TRY(wait_for_socket(fs, process, deadline));
  const Fd connection = TRY(connect_to(socket));
  if (!send_request(connection)) return failed("it closed the connection");
  return judge_jvm_answer(read_answer(connection, deadline));
}

}  // namespace srvprof
