#include "cli/signals.h"

namespace srvprof {
namespace {

volatile sig_atomic_t received = 0;

void on_signal(int) {
  if (received < 2) received = received + 1;
}

}  // namespace

SignalGuard::SignalGuard() {
  received = 0;
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    struct sigaction action {};
    action.sa_handler = kSignals[i] == SIGPIPE ? SIG_IGN : on_signal;
    // No SA_RESTART: a waiting poll is to return at once.
    ::sigaction(kSignals[i], &action, &before_[i]);
    // nohup means it. An ignored SIGINT is only how shells start a background job of a script.
    if (kSignals[i] == SIGHUP && before_[i].sa_handler == SIG_IGN) {
      ::sigaction(SIGHUP, &before_[i], nullptr);
    }
  }
}

SignalGuard::~SignalGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) ::sigaction(kSignals[i], &before_[i], nullptr);
}

int SignalGuard::count() { return received; }

}  // namespace srvprof
