#include "target/sock_diag.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>

#include "base/fd.h"
#include "target/net_table.h"

namespace srvprof {
namespace {

using Backlogs = std::unordered_map<std::uint64_t, std::uint32_t>;

struct Request {
  nlmsghdr header;
  inet_diag_req_v2 body;
};

Status send_request(int socket, unsigned char family) {
  Request request{};
  request.header.nlmsg_len = sizeof request;
  request.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  request.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.sdiag_family = family;
  request.body.sdiag_protocol = IPPROTO_TCP;
  request.body.idiag_states = 1u << kTcpListen;
  if (::send(socket, &request, sizeof request, 0) < 0)
    return errno_error("asking sock_diag", errno);
  return {};
}

// Reads messages of one datagram; true when the answer is complete.
Result<bool> read_messages(const char* data, std::size_t size, Backlogs& backlogs) {
  while (size >= sizeof(nlmsghdr)) {
    nlmsghdr header;
    std::memcpy(&header, data, sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > size) break;
    if (header.nlmsg_type == NLMSG_DONE) return true;
    if (header.nlmsg_type == NLMSG_ERROR) {
      return Error{"asking sock_diag: refused by the kernel", "", ErrorKind::kKernel};
    }
    inet_diag_msg message;
    if (header.nlmsg_len >= sizeof header + sizeof message) {
      std::memcpy(&message, data + sizeof header, sizeof message);
      // Of a listener: idiag_rqueue is the queue's present length, idiag_wqueue its limit.
      backlogs[message.idiag_inode] = message.idiag_wqueue;
    }
    const std::size_t step = std::min<std::size_t>(NLMSG_ALIGN(header.nlmsg_len), size);
    data += step;
    size -= step;
  }
  return false;
}

Result<Backlogs> query_here() {
  Backlogs backlogs;
  for (const auto family : std::array<unsigned char, 2>{AF_INET, AF_INET6}) {
    const Fd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
    if (!socket.valid()) return errno_error("opening a sock_diag socket", errno);
    const timeval limit{.tv_sec = 1, .tv_usec = 0};
    ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    TRY(send_request(socket.get(), family));
    for (bool done = false; !done;) {
      std::array<char, 32768> buffer;
      const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return errno_error("reading from sock_diag", n < 0 ? errno : EIO);
      done = TRY(read_messages(buffer.data(), static_cast<std::size_t>(n), backlogs));
    }
  }
  return backlogs;
}

}  // namespace

Result<Backlogs> query_listen_backlogs(const ProcFs& fs, pid_t pid) {
  const std::uint64_t ns = namespace_inode(fs, pid, "net");
  if (ns == 0) {
    return Error{"reading the network namespace of process " + std::to_string(pid), "",
                 ErrorKind::kPermission};
  }
  if (ns == namespace_inode(fs, ::getpid(), "net")) return query_here();

  const Fd target(::open(pid_path(fs, pid, "ns/net").c_str(), O_RDONLY | O_CLOEXEC));
  if (!target.valid()) return errno_error("opening the network namespace", errno);
  std::optional<Result<Backlogs>> answer;
  std::thread([&] {
    if (::setns(target.get(), CLONE_NEWNET) != 0) {
      answer = errno_error("entering the network namespace", errno);
    } else {
      answer = query_here();
    }
  }).join();
  return std::move(*answer);
}

}  // namespace srvprof
