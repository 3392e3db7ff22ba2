// What a request's time went into, seen from the client.
#include <algorithm>

#include "trace/client.h"
#include "trace/model.h"

namespace srvprof {
namespace {

// Lines end where the next begins: time that was passed is not passed again.
class Writer {
 public:
  Writer(const ClientSide& side, Time begin, Time end) : side_(side) {
    ledger_.begin = at_ = begin;
    ledger_.end = std::max(begin, end);
  }

  void until(Time t, ClientLine line) {
    const Time to = std::clamp(t, at_, ledger_.end);
    of(line) += to - at_;
    at_ = to;
  }

  // The client has it in its hands: by what `tid`, else its whole process, did.
  void client_until(Time t, std::uint32_t tid, std::uint32_t pid) {
    const Time to = std::clamp(t, at_, ledger_.end);
    const ClientThread* thread = find_thread(tid);
    if (thread == nullptr || thread->off.empty()) {
      process_until(to, pid);
      return;
    }
    auto off = std::upper_bound(thread->off.begin(), thread->off.end(), at_,
                                [](Time value, const ClientOff& o) { return value < o.t_in; });
    if (off == thread->off.begin()) process_until(std::min(to, off->t_out), pid);
    for (; off != thread->off.end() && at_ < to; ++off) {
      until(std::min(to, off->t_out), ClientLine::kOwn);
      process_until(std::min(to, off->t_wake), pid);
      until(std::min(to, off->t_in), ClientLine::kRunq);
    }
    until(std::min(to, thread->t_last), ClientLine::kOwn);
    process_until(to, pid);
  }

  Time at() const { return at_; }
  Duration so_far(ClientLine line) const { return ledger_.of(line); }
  ClientLedger take() { return ledger_; }

 private:
  Duration& of(ClientLine line) { return ledger_.line[static_cast<std::size_t>(line)]; }

  const ClientThread* find_thread(std::uint32_t tid) const {
    const auto it = side_.thread_by_tid.find(tid);
    return it == side_.thread_by_tid.end() ? nullptr : &side_.threads[it->second - 1];
  }

  // The thread sleeps: another one of the process would have to go on (goroutines move, a poller
  // wakes a worker).
  void process_until(Time to, std::uint32_t pid) {
    if (to <= at_) return;
    const auto it = side_.process_by_pid.find(pid);
    if (it == side_.process_by_pid.end()) {
      until(to, ClientLine::kUnknown);
      return;
    }
    const ClientProcess& process = side_.processes[it->second - 1];
    until(std::min(to, process.t_first), ClientLine::kUnknown);
    const Time known_to = std::min(to, std::max(process.t_last, at_));
    const Duration queued = process.queued.within(at_, known_to);
    const Duration active = std::max(process.active.within(at_, known_to), queued);
    of(ClientLine::kRunq) += queued;
    of(ClientLine::kOwn) += active - queued;
    of(ClientLine::kIdle) += known_to - at_ - active;
    at_ = known_to;
    until(to, ClientLine::kUnknown);
  }

  const ClientSide& side_;
  Time at_;
  ClientLedger ledger_;
};

const ClientExchange* exchange_of(const Trace& trace, RequestId id) {
  const ClientSide& side = trace.client;
  if (id.value >= side.of_request.size() || side.of_request[id.value] == 0) return nullptr;
  return &side.exchanges[side.of_request[id.value] - 1];
}

Time begin_of(const ClientExchange& x, Time arrival) {
  return known(x.t_send) ? x.t_send : std::min(x.t_write, arrival);
}

}  // namespace

std::string_view name_of(ClientLine line) {
  switch (line) {
    case ClientLine::kConnect: return "connect";
    case ClientLine::kSend: return "send";
    case ClientLine::kTransit: return "to the server";
    case ClientLine::kServer: return "server";
    case ClientLine::kWrite: return "first to last write";
    case ClientLine::kRunq: return "client run queue";
    case ClientLine::kOwn: return "client's own code";
    case ClientLine::kIdle: return "client idle";
    case ClientLine::kUnknown: return "client, not known";
  }
  return {};
}

void ClientLedger::add(const ClientLedger& other) {
  for (std::size_t i = 0; i < kClientLines; ++i) line[i] += other.line[i];
  unread += other.unread;
  unread_runq += other.unread_runq;
}

std::optional<ClientLedger> client_ledger(const Trace& trace, RequestId id) {
  const ClientExchange* x = exchange_of(trace, id);
  if (x == nullptr || !known(x->t_read)) return std::nullopt;
  const Request& r = trace.request(id);
  const ClientConn& conn = trace.client.conns[x->conn - 1];
  const Time sent = begin_of(*x, r.t_arrive);
  const bool connects = x->previous == 0 && known(conn.t_connect) && known(conn.t_open) &&
                        conn.t_connect <= conn.t_open && conn.t_open <= sent;
  const Time end = std::max(x->t_read, x->t_read_last);
  Writer w(trace.client, connects ? conn.t_connect : sent, end);
  if (connects) {
    w.until(conn.t_open, ClientLine::kConnect);
    w.client_until(sent, x->tid_write, conn.pid);
  }
  w.until(std::min(x->t_write, r.t_arrive), ClientLine::kSend);
  w.until(r.t_arrive, ClientLine::kTransit);
  // The first byte comes within the server's first write: where it was not seen, that write's
  // return.
  w.until(known(x->t_arrive) ? x->t_arrive : std::min(r.t_write, x->t_read), ClientLine::kServer);
  if (r.n_write > 1) w.until(r.t_done, ClientLine::kWrite);
  const Time whole = w.at();
  const Duration queued_before = w.so_far(ClientLine::kRunq);
  w.client_until(end, x->tid_read, conn.pid);
  ClientLedger ledger = w.take();
  ledger.unread = ledger.end - whole;
  ledger.unread_runq = ledger.of(ClientLine::kRunq) - queued_before;
  return ledger;
}

std::optional<ClientLedger> client_turnaround(const Trace& trace, RequestId id) {
  const ClientExchange* x = exchange_of(trace, id);
  if (x == nullptr || x->previous == 0) return std::nullopt;
  const ClientExchange& before = trace.client.exchanges[x->previous - 1];
  if (!known(before.t_read)) return std::nullopt;
  const Time from = std::max(before.t_read, before.t_read_last);
  const Time to = begin_of(*x, trace.request(id).t_arrive);
  if (to < from) return std::nullopt;
  Writer w(trace.client, from, to);
  w.client_until(to, x->tid_write, trace.client.conns[x->conn - 1].pid);
  return w.take();
}

}  // namespace srvprof
