// The client view: requests as the load generator lived through them, where its end of the connections was
// traced, beside what the server has to do with it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/client.h"

namespace srvprof {

struct LoadPhase;

// One line of the client's ledger. Means add up to the client's mean, and those of the slowest 1 % to theirs;
// percentiles of lines do not.
struct ClientLineFigures {
  ClientLine line{};
  Duration mean{}, p50{}, p99{}, tail_mean{};
};

// Requests of one phase of the load, all routes; the first ones of connections apart.
struct ClientPart {
  std::string phase;
  bool first_requests = false;
  std::uint64_t requests = 0;  // seen from the client's end
  std::uint64_t missing = 0;   // answered ones that were not
  Duration client_mean{}, client_p50{}, client_p95{}, client_p99{}, client_tail{};  // tail: slowest 1 %, mean
  Duration server_mean{}, server_p50{}, server_p95{}, server_p99{};  // the server's own ledgers
  std::vector<ClientLineFigures> lines;  // in the order of ClientLine, without those that are always 0
  // The answer lay in the client's receive queue and nobody read it; of that a thread waited for a CPU.
  Duration unread_mean{}, unread_runq_mean{};
  // Between an answer and the next request on its connection: means.
  std::uint64_t turnarounds = 0;
  Duration turnaround_mean{}, turnaround_runq{}, turnaround_own{}, turnaround_idle{};

  Duration mean_of(ClientLine line) const;
  // Of client_mean, outside of the server: before the arrival or after the answer was there.
  Duration outside() const { return client_mean - mean_of(ClientLine::kServer) - mean_of(ClientLine::kWrite); }
  Duration named_outside() const;  // of that, what is neither idle nor not known
};

// Who held the CPU when a thread of the client got it after a wait.
struct ClientOccupant {
  std::string who;
  double share = 0;  // of the time of these waits
};

struct ClientView {
  std::string who;          // "hey (pid 4310)"
  bool sends_seen = false;  // else the send itself is not in the latencies
  std::vector<ClientPart> parts;  // by requests, largest first
  std::vector<ClientOccupant> occupants;  // largest first
  std::vector<std::string> notes;
};

// Nothing if no client was traced.
std::optional<ClientView> client_view(const Trace& trace, const std::vector<LoadPhase>& phases);

// What of the target's clients cannot be seen, a sentence without full stop each: on other machines.
std::vector<std::string> unseen_clients(const Trace& trace);

}  // namespace srvprof
