// The load generator's side of the target's connections, where it is a process of this machine that was
// traced: its ends of the connections, its exchanges, its threads, and a ledger of each request as the
// client lived through it. Indices are 1-based, 0 = none; times are CLOCK_MONOTONIC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "base/time.h"

namespace srvprof {

struct Trace;
struct ConnTag;
struct RequestTag;

struct ClientConn {
  std::uint32_t id = 0, pid = 0;
  Time t_connect, t_open;  // zero = before its first event that was seen
  std::string local_addr, remote_addr;
  std::uint16_t local_port = 0, remote_port = 0;
  Id<ConnTag> server;  // the target's end; 0 = none was recorded
};

struct ClientExchange {
  std::uint32_t conn = 0;  // into ClientSide::conns
  std::uint32_t tid_write = 0, tid_read = 0;
  // As in rows::ClientExchange. An interim answer and what was sent after it are part of it.
  Time t_send, t_write, t_write_last, t_arrive, t_read, t_read_last;
  std::uint32_t previous = 0;  // on the same connection, into ClientSide::exchanges
  Id<RequestTag> request;      // 0 = of no request that was recorded
};

// Off CPU during [t_out, t_in), runnable during [t_wake, t_in).
struct ClientOff {
  Time t_out, t_wake, t_in;
  std::uint32_t occupant = 0;  // who held the CPU at t_in, 0 = it was idle
  bool throttled = false;
};

struct ClientThread {
  std::uint32_t tid = 0, pid = 0;
  std::vector<ClientOff> off;  // sorted, disjoint
  Time t_last;                 // its last event: it ran from its last interval until then
};

// Disjoint stretches of time, sorted, with the sum of those before each.
class Stretches {
 public:
  // Overlapping and touching ones become one.
  explicit Stretches(std::vector<std::pair<Time, Time>> unsorted = {});
  Duration within(Time from, Time to) const;

 private:
  struct Stretch {
    Time begin, end;
    Duration before;
  };
  std::vector<Stretch> list_;
};

struct ClientProcess {
  std::uint32_t pid = 0;
  Time t_first, t_last;     // between them its threads were watched
  Duration cpu{}, runq{};   // summed over its threads
  Stretches queued;         // at least one thread waited for a CPU
  Stretches active;         // at least one thread ran or waited for a CPU
};

struct ClientSide {
  std::vector<ClientConn> conns;
  std::vector<ClientExchange> exchanges;  // by connection, then by t_write
  std::vector<ClientThread> threads;
  std::vector<ClientProcess> processes;
  std::unordered_map<std::uint32_t, std::uint32_t> thread_by_tid, process_by_pid;
  std::vector<std::uint32_t> of_request;  // by RequestId: the exchange, 0 = none
  bool sends_seen = false;                // t_send is known as a rule

  // What could not be joined.
  std::uint64_t conns_unmatched = 0;      // no connection of the target with these ends was recorded
  std::uint64_t exchanges_unmatched = 0;  // no request of the target arrived meanwhile
  std::uint64_t pipelined = 0;            // requests that were sent before the answer to another came
};

// The lines of the client's ledger, in the order in which a request goes through them.
enum class ClientLine : std::uint8_t {
  kConnect,  // first request of a connection: connect() until it was established
  kSend,     // from the begin of its send until its first byte arrived at the server, or the send's end
  kTransit,  // from the send's end to the arrival, if that was later
  kServer,   // until the first byte of the answer lay in the client's receive queue
  kWrite,    // until the server's last write, if the answer took several
  kRunq,     // answer unread (or request not yet sent): a thread of the client waited for a CPU
  kOwn,      // the same: its threads ran other code
  kIdle,     // the same: none of its threads ran or wanted to
  kUnknown,  // the same: what its threads did was not recorded
};
inline constexpr std::size_t kClientLines = 9;
std::string_view name_of(ClientLine line);  // "connect", ..., "client run queue", ...

struct ClientLedger {
  Time begin, end;
  std::array<Duration, kClientLines> line{};
  // Of these lines: the answer lay in the client's receive queue, whole, and was not read.
  Duration unread{}, unread_runq{};

  Duration latency() const { return end - begin; }
  Duration of(ClientLine l) const { return line[static_cast<std::size_t>(l)]; }
  void add(const ClientLedger& other);  // the lines alone
};

// From connecting (first request of its connection, if that was seen) or the begin of the send to the
// client's last read of the answer. The lines add up to it exactly. Nothing if the client was not traced, or
// the request cannot be told from others there, or was not answered. Without t_send it begins at the end of
// the send, or the arrival at the server, whichever was first.
std::optional<ClientLedger> client_ledger(const Trace& trace, Id<RequestTag> id);

// What the client did between the answer before on that connection and this request, split as kRunq, kOwn,
// kIdle and kUnknown. Nothing if it is the first one that was seen.
std::optional<ClientLedger> client_turnaround(const Trace& trace, Id<RequestTag> id);

}  // namespace srvprof
