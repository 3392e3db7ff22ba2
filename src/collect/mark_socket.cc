#include "collect/mark_socket.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/escape.h"
#include "target/net_table.h"
#include "target/proc_fs.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostPending = 16;
constexpr Duration kPatience = 1s;    // with a sender that connects and says nothing
constexpr int kAnswerTimeoutMs = 3000;
constexpr std::string_view kTaken = "taken", kRefused = "refused";

struct Address {
  sockaddr_un sun{};
  socklen_t length = 0;
};

Address abstract_address(std::string_view name) {
  Address a;
  a.sun.sun_family = AF_UNIX;
  const std::size_t n = std::min(name.size(), sizeof a.sun.sun_path - 1);
  std::memcpy(a.sun.sun_path + 1, name.data(), n);
  a.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + n);
  return a;
}

std::optional<uid_t> peer_uid(int fd) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
  return peer.uid;
}

void answer(int fd, std::string_view text) {
  (void)::send(fd, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

// Nothing: it is no recording of ours, or is gone. Otherwise whether it took the mark.
std::optional<bool> send_to(const std::string& socket_name, const std::string& name) {
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  if (!fd.valid()) return std::nullopt;
  const Address a = abstract_address(socket_name);
  if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&a.sun), a.length) != 0) {
    return std::nullopt;
  }
  const auto uid = peer_uid(fd.get());
  if (!uid || (*uid != 0 && *uid != ::geteuid())) return std::nullopt;
  // Who is refused may find the other end closed already: its answer is there nevertheless.
  if (::send(fd.get(), name.data(), name.size(), MSG_NOSIGNAL) < 0 && errno != EPIPE &&
      errno != ECONNRESET) {
    return std::nullopt;
  }
  pollfd wait{fd.get(), POLLIN, 0};
  if (::poll(&wait, 1, kAnswerTimeoutMs) != 1) return std::nullopt;
  char buffer[32];
  ssize_t n = ::recv(fd.get(), buffer, sizeof buffer, 0);
  if (n < 0 && errno == ECONNRESET) {  // told once, before the answer: ours was not read
    n = ::recv(fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
  }
  if (n <= 0) return std::nullopt;
  return std::string_view(buffer, static_cast<std::size_t>(n)) == kTaken;
}

}  // namespace

bool is_mark_name(std::string_view name) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
  };
  return !name.empty() && name.size() <= kMostMarkName &&
         std::all_of(name.begin(), name.end(), plain);
}

Result<MarkSocket> MarkSocket::open(std::uint32_t target, uid_t owner) {
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd.valid()) return errno_error("listening for marks: socket", errno);
  const Address a = abstract_address(fmt::format("{}{}.{}", kMarkPrefix, target, ::getpid()));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&a.sun), a.length) != 0 ||
      ::listen(fd.get(), static_cast<int>(kMostPending)) != 0) {
    return errno_error("listening for marks: bind", errno);
  }
  return MarkSocket(std::move(fd), owner);
}

bool MarkSocket::may_mark(int fd) const {
  const auto uid = peer_uid(fd);
  return uid && (*uid == 0 || *uid == owner_ || *uid == ::geteuid());
}

void MarkSocket::accept_all(Time now) {
  while (pending_.size() < kMostPending) {
    Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!fd.valid()) return;
    if (may_mark(fd.get())) {
      pending_.push_back({std::move(fd), now});
    } else {
      answer(fd.get(), kRefused);
    }
  }
}

void MarkSocket::poll(const std::function<void(Time, const std::string&)>& mark) {
  const Time now = MonotonicClock::now();
  accept_all(now);
  std::erase_if(pending_, [&](const Pending& p) {
    char buffer[kMostMarkName + 1];
    const ssize_t n = ::recv(p.fd.get(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return now - p.since > kPatience;
    if (n <= 0) return true;
    const std::string name(buffer, static_cast<std::size_t>(n));
    const bool good = is_mark_name(name);
    if (good) mark(now, name);
    answer(p.fd.get(), good ? kTaken : kRefused);
    return true;
  });
}

Result<std::size_t> send_mark(const std::string& name, std::uint32_t target) {
  if (!is_mark_name(name)) {
    return Error{fmt::format("marking '{}': not a name for a phase", escape_text(name)),
                 "letters, digits and . _ - only, at most 64", ErrorKind::kUsage};
  }
  std::size_t taken = 0, refused = 0;
  const std::string prefix =
      target != 0 ? fmt::format("{}{}.", kMarkPrefix, target) : std::string(kMarkPrefix);
  const std::string table = TRY(read_file(ProcFs{}.proc + "/net/unix"));
  for (const UnixSocket& socket : parse_unix_table(table)) {
    if (!socket.listening || !socket.path.starts_with('@')) continue;
    const std::string socket_name = socket.path.substr(1);
    if (!socket_name.starts_with(prefix)) continue;
    const auto answered = send_to(socket_name, name);
    if (answered) ++(*answered ? taken : refused);
  }
  if (taken > 0) return taken;
  if (refused > 0) {
    return Error{fmt::format("marking '{}': the recording belongs to another user", name),
                 "sudo srvprof mark " + name, ErrorKind::kPermission};
  }
  return Error{fmt::format("marking '{}': nothing is being recorded here", name),
               "start srvprof attach first, in the same network namespace", ErrorKind::kNoTarget};
}

}  // namespace srvprof
