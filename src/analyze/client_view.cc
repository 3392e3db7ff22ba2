#include "analyze/client_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/facts.h"
#include "analyze/percentiles.h"
#include "analyze/phases.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr double kTail = 99;
constexpr std::size_t kMostOccupants = 5;
constexpr double kLeastOccupant = 0.02;

// The requests of one part, and sums over them.
struct Members {
  std::vector<RequestId> ids;
  std::vector<ClientLedger> ledgers;
  std::uint64_t missing = 0;
};

Duration at(std::vector<Duration>& values, double p) {
  if (values.empty()) return {};
  const auto it = values.begin() + static_cast<std::ptrdiff_t>(rank_of(p, values.size()));
  std::nth_element(values.begin(), it, values.end());
  return *it;
}

void add_lines(const Members& m, ClientPart& part) {
  const auto n = static_cast<std::int64_t>(m.ledgers.size());
  std::vector<std::size_t> order(m.ledgers.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return m.ledgers[a].latency() < m.ledgers[b].latency();
  });
  const std::size_t tail = std::min(rank_of(kTail, order.size()), order.size() - 1);
  ClientLedger all, slow;
  std::vector<Duration> latencies;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ClientLedger& ledger = m.ledgers[order[i]];
    latencies.push_back(ledger.latency());
    all.add(ledger);
    if (i >= tail) slow.add(ledger);
  }
  const auto slow_n = static_cast<std::int64_t>(order.size() - tail);
  for (std::size_t l = 0; l < kClientLines; ++l) {
    if (all.line[l] == Duration{}) continue;
    std::vector<Duration> values;
    for (const ClientLedger& ledger : m.ledgers) values.push_back(ledger.line[l]);
    ClientLineFigures f;
    f.line = static_cast<ClientLine>(l);
    f.mean = all.line[l] / n;
    f.tail_mean = slow.line[l] / slow_n;
    f.p50 = at(values, 50);
    f.p99 = at(values, 99);
    part.client_mean += f.mean;
    part.client_tail += f.tail_mean;
    part.lines.push_back(f);
  }
  part.client_p50 = latencies[rank_of(50, latencies.size())];
  part.client_p95 = latencies[rank_of(95, latencies.size())];
  part.client_p99 = latencies[rank_of(99, latencies.size())];
  part.unread_mean = all.unread / n;
  part.unread_runq_mean = all.unread_runq / n;
}

void add_server(const Trace& trace, const Members& m, ClientPart& part) {
  std::vector<Duration> values;
  Duration sum{};
  for (const RequestId id : m.ids) {
    values.push_back(trace.request(id).latency());
    sum += values.back();
  }
  part.server_mean = sum / static_cast<std::int64_t>(values.size());
  part.server_p50 = at(values, 50);
  part.server_p95 = at(values, 95);
  part.server_p99 = at(values, 99);
}

void add_turnarounds(const Trace& trace, const Members& m, ClientPart& part) {
  ClientLedger sum;
  std::int64_t n = 0;
  for (const RequestId id : m.ids) {
    const auto turn = client_turnaround(trace, id);
    if (!turn) continue;
    sum.add(*turn);
    ++n;
  }
  if (n == 0) return;
  part.turnarounds = static_cast<std::uint64_t>(n);
  part.turnaround_runq = sum.of(ClientLine::kRunq) / n;
  part.turnaround_own = sum.of(ClientLine::kOwn) / n;
  part.turnaround_idle = (sum.of(ClientLine::kIdle) + sum.of(ClientLine::kUnknown)) / n;
  part.turnaround_mean = part.turnaround_runq + part.turnaround_own + part.turnaround_idle;
}

std::vector<ClientPart> parts_of(const Trace& trace, const std::vector<LoadPhase>& phases) {
  std::map<std::pair<std::size_t, bool>, Members> members;
  for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
    const Request& r = trace.requests[i];
    if (r.stream || r.censored || r.aborted) continue;
    Members& m = members[{phase_at(phases, r.t_arrive), r.first}];
    if (const auto ledger = client_ledger(trace, RequestId{i + 1})) {
      m.ids.push_back(RequestId{i + 1});
      m.ledgers.push_back(*ledger);
    } else {
      ++m.missing;
    }
  }
  std::vector<ClientPart> out;
  for (const auto& [key, m] : members) {
    if (m.ids.empty()) continue;
    ClientPart part;
    part.phase = phases[key.first].name;
    part.first_requests = key.second;
    part.requests = m.ids.size();
    part.missing = m.missing;
    add_lines(m, part);
    add_server(trace, m, part);
    add_turnarounds(trace, m, part);
    out.push_back(std::move(part));
  }
  std::stable_sort(out.begin(), out.end(), [](const ClientPart& a, const ClientPart& b) {
    return a.requests > b.requests;
  });
  return out;
}

std::string occupant_words(const Trace& trace, std::uint32_t pid, const ClientOff& off) {
  if (off.occupant == 0) return "an idle CPU that woke up";
  const Task* task = find_task(trace, off.occupant);
  const ClientSide& side = trace.client;
  const auto own = side.thread_by_tid.find(off.occupant);
  const std::uint32_t of = own != side.thread_by_tid.end() ? side.threads[own->second - 1].pid
                           : task != nullptr               ? task->pid
                                                           : 0;
  if (of == pid) return "its own threads";
  if (const Thread* thread = find_thread(trace, off.occupant)) {
    return "the server, " + process_words(trace, thread->pid);
  }
  return task != nullptr ? task_words(trace, off.occupant) : "tasks that were not named";
}

std::vector<ClientOccupant> occupants_of(const Trace& trace) {
  std::map<std::string, Duration> time;
  Duration sum{};
  for (const ClientThread& thread : trace.client.threads) {
    for (const ClientOff& off : thread.off) {
      const Duration wait = off.t_in - off.t_wake;
      if (wait < std::chrono::microseconds(100)) continue;  // below it nobody is named
      time[occupant_words(trace, thread.pid, off)] += wait;
      sum += wait;
    }
  }
  std::vector<ClientOccupant> out;
  for (const auto& [who, d] : time) out.push_back({who, to_ms(d) / to_ms(sum)});
  std::stable_sort(out.begin(), out.end(), [](const ClientOccupant& a, const ClientOccupant& b) {
    return a.share > b.share;
  });
  std::erase_if(out, [](const ClientOccupant& o) { return o.share < kLeastOccupant; });
  if (out.size() > kMostOccupants) out.resize(kMostOccupants);
  return out;
}

std::string who_of(const Trace& trace) {
  std::set<std::uint32_t> pids;
  for (const ClientConn& c : trace.client.conns) pids.insert(c.pid);
  if (pids.empty()) return "the load generator";
  std::string out = process_words(trace, *pids.begin());
  if (pids.size() > 1) out += fmt::format(" and {}", plural_words(pids.size() - 1, "other"));
  return out;
}

std::uint64_t last_of(const Trace& trace, std::string_view counter) {
  std::uint64_t last = 0;
  for (const rows::Counter& row : trace.counters) {
    if (row.name == counter) last = std::max(last, row.value);
  }
  return last;
}

void add_notes(const Trace& trace, ClientView& view) {
  const ClientSide& side = trace.client;
  const auto note = [&](std::uint64_t n, const char* one, const char* what) {
    if (n != 0) view.notes.push_back(fmt::format("{} {}", plural_words(n, one), what));
  };
  if (!view.sends_seen) {
    view.notes.push_back(
        "when a send began is not known: latencies begin when the request arrived, or its send "
        "ended");
  }
  note(side.exchanges_unmatched, "exchange",
       "of the client could be joined with no recorded request");
  note(side.pipelined, "request",
       "were sent before the answer to the one before: they cannot be told apart");
  note(last_of(trace, "clients_left_out"), "exchange",
       "of the client were not recorded, to keep up");
}

bool is_here(const Conn& c) {
  return c.peer_pid != 0 || c.remote_addr == c.local_addr || c.remote_addr.starts_with("127.") ||
         c.remote_addr == "::1";
}

}  // namespace

Duration ClientPart::mean_of(ClientLine line) const {
  for (const ClientLineFigures& f : lines) {
    if (f.line == line) return f.mean;
  }
  return {};
}

Duration ClientPart::named_outside() const {
  return outside() - mean_of(ClientLine::kIdle) - mean_of(ClientLine::kUnknown);
}

std::optional<ClientView> client_view(const Trace& trace, const std::vector<LoadPhase>& phases) {
  if (trace.client.conns.empty()) return std::nullopt;
  ClientView view;
  view.who = who_of(trace);
  view.sends_seen = trace.client.sends_seen;
  view.parts = parts_of(trace, phases);
  view.occupants = occupants_of(trace);
  add_notes(trace, view);
  return view;
}

std::vector<std::string> unseen_clients(const Trace& trace) {
  std::set<std::string> hosts;
  std::uint64_t far = 0, all = 0;
  for (const Conn& c : trace.conns) {
    if (c.outgoing || c.remote_addr.empty()) continue;
    ++all;
    if (is_here(c)) continue;
    ++far;
    hosts.insert(c.remote_addr);
  }
  if (far == 0) return {};
  return {
      fmt::format("{} of {} came from other machines or network namespaces ({}{}): when their "
                  "requests were sent, how long the network took and "
                  "when the answers were read cannot be seen from here",
                  count_words(far), plural_words(all, "connection"), *hosts.begin(),
                  hosts.size() > 1 ? ", ..." : "")};
}

}  // namespace srvprof
