// Messages to the socket of a recording: each message of the input is the name of a mark.
#include "collect/mark_socket.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "fuzz.h"

using namespace srvprof;

namespace {

Fd connected() {
  Fd fd(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un to{};
  to.sun_family = AF_UNIX;
  const std::string name = std::string(kMarkPrefix) + "1." + std::to_string(::getpid());
  std::memcpy(to.sun_path + 1, name.data(), name.size());
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  fuzz::require(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&to), length) == 0);
  return fd;
}

}  // namespace

SRVPROF_FUZZ(input) {
  static auto socket = MarkSocket::open(1, ::geteuid());
  fuzz::require(socket.ok());
  fuzz::Cutter cutter(input);
  for (int n = 0; n < 4 && !cutter.rest().empty(); ++n) {
    const auto message = cutter.bytes(cutter.take<std::uint8_t>());
    const Fd fd = connected();
    (void)::send(fd.get(), message.data(), message.size(), MSG_NOSIGNAL);
    int taken = 0;
    socket->poll([&](Time, const std::string& name) {
      ++taken;
      fuzz::require(is_mark_name(name) && name == fuzz::text_of(message));
    });
    fuzz::require(taken == (is_mark_name(fuzz::text_of(message)) ? 1 : 0));
  }
}
