// Rows of the load generator's side -> ClientSide, and which exchange is which request.
#include <fmt/format.h>

#include <algorithm>

#include "trace/flags.h"
#include "trace/raw.h"

namespace srvprof {
namespace {

// The client establishes first, and its clock is the server's: the rest is for rows that nobody
// sends.
constexpr Duration kConnectSlack = std::chrono::milliseconds(1);

std::string ends_key(const std::string& a, std::uint16_t a_port, const std::string& b,
                     std::uint16_t b_port) {
  return fmt::format("{} {} {} {}", a, a_port, b, b_port);
}

// The target's end has the same addresses, turned around. Ports are used again: of several
// connections it is the last one that began before the target's was established.
void match_connections(Trace& trace) {
  ClientSide& side = trace.client;
  std::unordered_map<std::string, std::vector<std::uint32_t>> by_ends;
  for (std::uint32_t i = 0; i < side.conns.size(); ++i) {
    const ClientConn& c = side.conns[i];
    by_ends[ends_key(c.local_addr, c.local_port, c.remote_addr, c.remote_port)].push_back(i);
  }
  const auto begin = [&](std::uint32_t i) {
    return known(side.conns[i].t_connect) ? side.conns[i].t_connect : side.conns[i].t_open;
  };
  for (auto& [key, list] : by_ends) {
    std::stable_sort(list.begin(), list.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return begin(a) < begin(b); });
  }
  for (std::uint32_t i = 0; i < trace.conns.size(); ++i) {
    const Conn& c = trace.conns[i];
    if (c.outgoing || c.remote_port == 0) continue;
    const auto found =
        by_ends.find(ends_key(c.remote_addr, c.remote_port, c.local_addr, c.local_port));
    if (found == by_ends.end()) continue;
    ClientConn* best = nullptr;
    for (const std::uint32_t k : found->second) {
      if (side.conns[k].server || begin(k) > c.t_open + kConnectSlack) continue;
      best = &side.conns[k];
    }
    if (best != nullptr) best->server = {i + 1};
  }
  for (const ClientConn& c : side.conns) side.conns_unmatched += !c.server;
}

// From when on an exchange's request may arrive. `before`: the exchange before it, if any was seen.
Time earliest_arrival(const ClientExchange& x, const ClientExchange* before,
                      const ClientConn& conn) {
  if (known(x.t_send)) return x.t_send;
  if (before == nullptr) return std::max(conn.t_open, conn.t_connect);
  return std::max({before->t_read_last, before->t_read, before->t_write});
}

class Matcher {
 public:
  explicit Matcher(Trace& trace) : trace_(trace), side_(trace.client) {
    by_conn_.resize(trace.conns.size() + 1);
    for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
      by_conn_[trace.requests[i].conn.value].push_back({i + 1});
    }
    side_.of_request.assign(trace.requests.size() + 1, 0);
  }

  // The exchanges [from, to) of one connection.
  void connection(std::size_t from, std::size_t to) {
    const ClientConn& conn = side_.conns[side_.exchanges[from].conn - 1];
    if (!conn.server) {
      side_.exchanges_unmatched += to - from;
      return;
    }
    const std::vector<RequestId>& requests = by_conn_[conn.server.value];
    std::size_t next = 0, matched = to;
    for (std::size_t i = from; i < to; ++i) {
      ClientExchange& x = side_.exchanges[i];
      const ClientExchange* before = i > from ? &side_.exchanges[i - 1] : nullptr;
      Time begin = earliest_arrival(x, before, conn);
      // On a connection that was found open, requests before the first exchange are not its own.
      if (!known(begin)) begin = last_arrival(requests, x.t_write);
      const Time end =
          i + 1 < to ? earliest_arrival(side_.exchanges[i + 1], &x, conn) : Time::max();
      while (next < requests.size() && trace_.request(requests[next]).t_arrive < begin) ++next;
      std::size_t n = 0;
      while (next + n < requests.size() && trace_.request(requests[next + n]).t_arrive < end) ++n;
      if (n == 1 && fits(x, requests[next])) {
        x.request = requests[next];
        side_.of_request[x.request.value] = static_cast<std::uint32_t>(i + 1);
        matched = i;
      } else if (n > 1) {
        side_.pipelined += n;
      } else if (n != 0 || !continues(matched, x, to)) {
        ++side_.exchanges_unmatched;
      }
      next += n;
    }
  }

 private:
  // Of the last request that arrived until `t`; `t` if there is none.
  Time last_arrival(const std::vector<RequestId>& requests, Time t) const {
    const auto it = std::upper_bound(
        requests.begin(), requests.end(), t,
        [this](Time value, RequestId id) { return value < trace_.request(id).t_arrive; });
    return it == requests.begin() ? t : trace_.request(*(it - 1)).t_arrive;
  }

  bool fits(const ClientExchange& x, RequestId id) const {
    const Request& r = trace_.request(id);
    return !known(x.t_read) || r.t_arrive <= x.t_read;
  }

  // The body that follows a 100 (Continue): the request is not answered before it.
  bool continues(std::size_t matched, const ClientExchange& x, std::size_t none) {
    if (matched == none) return false;
    ClientExchange& first = side_.exchanges[matched];
    if (trace_.request(first.request).t_done <= x.t_write) return false;
    first.t_write_last = x.t_write_last;
    first.t_arrive = x.t_arrive;
    first.t_read = x.t_read;
    first.t_read_last = x.t_read_last;
    first.tid_read = x.tid_read;
    return true;
  }

  Trace& trace_;
  ClientSide& side_;
  std::vector<std::vector<RequestId>> by_conn_;
};

void add_exchanges(Raw& raw, Trace& trace) {
  ClientSide& side = trace.client;
  std::unordered_map<std::uint32_t, std::uint32_t> by_number;
  for (std::uint32_t i = 0; i < side.conns.size(); ++i) by_number[side.conns[i].id] = i + 1;
  std::uint64_t sends = 0;
  for (const rows::ClientExchange& row : raw.client_exchanges) {
    const auto conn = by_number.find(row.conn);
    if (conn == by_number.end() || !known(row.t_write)) {
      ++side.exchanges_unmatched;
      continue;
    }
    ClientExchange x;
    x.conn = conn->second;
    x.tid_write = row.tid_write;
    x.tid_read = row.tid_read;
    x.t_write = row.t_write;
    x.t_send = known(row.t_send) ? std::min(row.t_send, row.t_write) : Time{};
    x.t_write_last = std::max(row.t_write_last, row.t_write);
    x.t_arrive = row.t_arrive;
    x.t_read = row.t_read;
    x.t_read_last = std::max(row.t_read_last, row.t_read);
    sends += known(x.t_send);
    side.exchanges.push_back(x);
  }
  side.sends_seen = sends * 2 > side.exchanges.size();
  std::stable_sort(side.exchanges.begin(), side.exchanges.end(),
                   [](const ClientExchange& a, const ClientExchange& b) {
                     return a.conn != b.conn ? a.conn < b.conn : a.t_write < b.t_write;
                   });
  for (std::uint32_t i = 1; i < side.exchanges.size(); ++i) {
    if (side.exchanges[i].conn == side.exchanges[i - 1].conn) side.exchanges[i].previous = i;
  }
}

void add_threads(Raw& raw, ClientSide& side) {
  for (const rows::ClientOff& row : raw.client_off) {
    const auto next = static_cast<std::uint32_t>(side.threads.size() + 1);
    const auto [it, added] = side.thread_by_tid.try_emplace(row.tid, next);
    if (added) side.threads.push_back({.tid = row.tid, .pid = row.pid, .off = {}, .t_last = {}});
    side.threads[it->second - 1].off.push_back(
        {.t_out = row.t_out,
         .t_wake = std::clamp(row.t_wake, row.t_out, row.t_in),
         .t_in = row.t_in,
         .occupant = row.occupant,
         .throttled = (row.flags & kClientThrottled) != 0});
  }
  for (ClientThread& thread : side.threads) {
    std::stable_sort(thread.off.begin(), thread.off.end(),
                     [](const ClientOff& a, const ClientOff& b) { return a.t_in < b.t_in; });
    Time end;
    for (ClientOff& off : thread.off) {  // overlaps are cut
      off.t_out = std::clamp(off.t_out, end, std::max(end, off.t_in));
      off.t_in = std::max(off.t_in, off.t_out);
      off.t_wake = std::clamp(off.t_wake, off.t_out, off.t_in);
      end = off.t_in;
    }
    thread.t_last = end;
  }
  const auto event = [&side](std::uint32_t tid, Time t) {
    const auto it = side.thread_by_tid.find(tid);
    if (it == side.thread_by_tid.end()) return;
    ClientThread& thread = side.threads[it->second - 1];
    thread.t_last = std::max(thread.t_last, t);
  };
  for (const ClientExchange& x : side.exchanges) {
    event(x.tid_write, x.t_write);
    event(x.tid_read, std::max(x.t_read, x.t_read_last));
  }
}

void add_processes(ClientSide& side) {
  using Parts = std::vector<std::pair<Time, Time>>;
  std::unordered_map<std::uint32_t, std::pair<Parts, Parts>> parts;  // queued, active
  for (const ClientThread& thread : side.threads) {
    if (thread.off.empty()) continue;
    const auto next = static_cast<std::uint32_t>(side.processes.size() + 1);
    const auto [it, added] = side.process_by_pid.try_emplace(thread.pid, next);
    if (added) side.processes.emplace_back().pid = thread.pid;
    ClientProcess& process = side.processes[it->second - 1];
    const Time first = thread.off.front().t_out;
    process.t_first = known(process.t_first) ? std::min(process.t_first, first) : first;
    process.t_last = std::max(process.t_last, thread.t_last);
    auto& [queued, active] = parts[thread.pid];
    Time runs_from = first;
    for (const ClientOff& off : thread.off) {
      if (off.t_out > runs_from) active.emplace_back(runs_from, off.t_out);
      if (off.t_in > off.t_wake) {
        queued.emplace_back(off.t_wake, off.t_in);
        active.emplace_back(off.t_wake, off.t_in);
      }
      process.cpu += off.t_out - runs_from;
      process.runq += off.t_in - off.t_wake;
      runs_from = off.t_in;
    }
    if (thread.t_last > runs_from) active.emplace_back(runs_from, thread.t_last);
    process.cpu += thread.t_last - runs_from;
  }
  for (ClientProcess& process : side.processes) {
    auto& [queued, active] = parts[process.pid];
    process.queued = Stretches(std::move(queued));
    process.active = Stretches(std::move(active));
  }
}

}  // namespace

Stretches::Stretches(std::vector<std::pair<Time, Time>> unsorted) {
  std::sort(unsorted.begin(), unsorted.end());
  for (const auto& [begin, end] : unsorted) {
    if (end <= begin) continue;
    if (!list_.empty() && begin <= list_.back().end) {
      list_.back().end = std::max(list_.back().end, end);
    } else {
      list_.push_back({begin, end, {}});
    }
  }
  Duration sum{};
  for (Stretch& s : list_) {
    s.before = sum;
    sum += s.end - s.begin;
  }
}

Duration Stretches::within(Time from, Time to) const {
  const auto until = [this](Time t) -> Duration {
    const auto it = std::upper_bound(list_.begin(), list_.end(), t,
                                     [](Time value, const Stretch& s) { return value < s.begin; });
    if (it == list_.begin()) return {};
    const Stretch& s = *(it - 1);
    return s.before + (std::min(t, s.end) - s.begin);
  };
  return to > from ? until(to) - until(from) : Duration{};
}

void build_client(Raw& raw, Trace& trace) {
  ClientSide& side = trace.client;
  for (const rows::ClientConn& row : raw.client_conns) {
    side.conns.push_back({.id = row.id,
                          .pid = row.pid,
                          .t_connect = row.t_connect,
                          .t_open = row.t_open,
                          .local_addr = row.local_addr,
                          .remote_addr = row.remote_addr,
                          .local_port = static_cast<std::uint16_t>(row.local_port),
                          .remote_port = static_cast<std::uint16_t>(row.remote_port),
                          .server = {}});
  }
  add_exchanges(raw, trace);
  match_connections(trace);
  Matcher matcher(trace);
  const std::vector<ClientExchange>& all = side.exchanges;
  for (std::size_t i = 0, end = 0; i < all.size(); i = end) {
    while (end < all.size() && all[end].conn == all[i].conn) ++end;
    matcher.connection(i, end);
  }
  add_threads(raw, side);
  add_processes(side);
  raw.client_conns = {};
  raw.client_exchanges = {};
  raw.client_off = {};
}

}  // namespace srvprof
