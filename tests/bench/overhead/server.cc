#include "server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "base/fd.h"
#include "place.h"
#include "target/process.h"

namespace srvprof {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Result<std::uint16_t> free_port() {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  auto* const raw = reinterpret_cast<sockaddr*>(&address);
  if (!fd.valid() || ::bind(fd.get(), raw, size) != 0 || ::getsockname(fd.get(), raw, &size) != 0) {
    return errno_error("finding a free port", errno);
  }
  return ntohs(address.sin_port);
}

bool accepts(std::uint16_t port) {
  Fd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return fd.valid() &&
         ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

int run_program(std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int null = ::open("/dev/null", O_RDWR);
  ::dup2(null, 0);
  ::dup2(null, 1);
  ::execvp(argv[0], argv.data());
  return 127;
}

}  // namespace

Result<Server> Server::start(const ServerSpec& spec, int cpu, std::vector<std::string>& notes) {
  const std::uint16_t port = TRY(free_port());
  std::vector<std::string> words = spec.argv;
  for (std::string& word : words) {
    const std::size_t at = word.find("{port}");
    if (at != std::string::npos) word.replace(at, 6, std::to_string(port));
  }
  Server server(TRY(fork_placed(cpu, notes, [&] { return run_program(words); })), port);
  for (int i = 0; i < 1000; ++i) {
    if (!still_runs(server.pid_)) {
      server.pid_ = 0;
      break;
    }
    if (accepts(port)) return server;
    ::usleep(10'000);
  }
  return Error{fmt::format("starting {}: it does not listen on its port", spec.name),
               "run its command by hand", {}};
}

Server::Server(Server&& other) noexcept : pid_(std::exchange(other.pid_, 0)), port_(other.port_) {}

Server::~Server() {
  if (pid_ != 0) end_process(pid_);
}

Result<ServerTime> Server::time() const {
  const ProcFs fs;
  ServerTime sum;
  for (const ThreadInfo& t : TRY(read_threads(fs, pid_))) {
    const auto s = read_schedstat(fs, pid_, t.tid);
    if (!s) continue;  // it ended meanwhile
    sum.cpu_ns += static_cast<std::uint64_t>(s->cpu.count());
    sum.runq_ns += static_cast<std::uint64_t>(s->run_queue.count());
  }
  return sum;
}

}  // namespace srvprof
