#include "tracer.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "collector.h"
#include "place.h"

namespace srvprof {
namespace {

constexpr int kAnswerWithin = 20'000;  // ms; a load under the verifier takes far less

int serve(const TracerOptions& options, Shared& shared, int socket) {
  TracerCounters& counters = shared.tracer;
  Collector collector(options, shared);
  Status status = collector.load();
  for (;;) {
    counters.error.fill(0);
    if (!status.ok()) {
      const std::string& what = status.error().what;
      std::memcpy(counters.error.data(), what.data(), std::min(what.size(), counters.error.size() - 1));
    }
    const char answer = status.ok() ? '+' : '-';
    if (::send(socket, &answer, 1, MSG_NOSIGNAL) != 1) return 0;
    char command = 0;
    for (;;) {
      pollfd p{socket, POLLIN, 0};
      if (::poll(&p, 1, collector.poll_ms()) > 0) break;
      collector.turn();
    }
    if (::recv(socket, &command, 1, 0) != 1) return 0;
    status = collector.obey(command);
  }
}

}  // namespace

Result<Tracer> Tracer::start(const TracerOptions& options, Shared& shared,
                             std::vector<std::string>& notes) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return errno_error("socketpair", errno);
  }
  Fd ours(ends[0]), theirs(ends[1]);
  const pid_t pid = TRY(fork_placed(options.cpu, notes, [&] {
    ours.reset();
    return serve(options, shared, theirs.get());
  }));
  theirs.reset();
  Tracer tracer(pid, std::move(ours), shared.tracer);
  TRY(tracer.ask(0));
  return tracer;
}

Tracer::Tracer(Tracer&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), socket_(std::move(other.socket_)), counters_(other.counters_) {}

Tracer::~Tracer() {
  if (pid_ == 0) return;
  socket_.reset();  // ends it in order
  for (int i = 0; i < 200 && still_runs(pid_); ++i) ::usleep(10'000);
  if (still_runs(pid_)) end_process(pid_);
}

// 0 asks nothing: the answer is that of the load.
Status Tracer::ask(char command) {
  if (command != 0 && ::send(socket_.get(), &command, 1, MSG_NOSIGNAL) != 1) {
    return Error{"the collector has ended", "", {}};
  }
  pollfd p{socket_.get(), POLLIN, 0};
  char answer = 0;
  if (::poll(&p, 1, kAnswerWithin) <= 0 || ::recv(socket_.get(), &answer, 1, 0) != 1) {
    return Error{"the collector does not answer", "", {}};
  }
  if (answer == '+') return {};
  return Error{counters_->error.data(), "", {}};
}

}  // namespace srvprof
