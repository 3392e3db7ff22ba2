#include "trace/events.h"

#include <algorithm>

#include "trace/flags.h"
#include "trace/timeline.h"

namespace srvprof {
namespace {

using Kind = SocketEvent::Kind;

// Requests and exchanges of each connection, by time.
struct ByConn {
  std::vector<std::vector<RequestId>> requests;
  std::vector<std::vector<ExchangeId>> exchanges;

  explicit ByConn(const Trace& trace)
      : requests(trace.conns.size() + 1), exchanges(trace.conns.size() + 1) {
    for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
      requests[trace.requests[i].conn.value].push_back({i + 1});
    }
    for (std::uint32_t i = 0; i < trace.exchanges.size(); ++i) {
      exchanges[trace.exchanges[i].conn.value].push_back({i + 1});
    }
  }
};

void add_request_events(const Trace& trace, std::vector<SocketEvent>& events) {
  for (std::uint32_t i = 0; i < trace.requests.size(); ++i) {
    const Request& r = trace.requests[i];
    SocketEvent e{.t = start_of(trace, r),
                  .thread = r.reader,
                  .kind = Kind::kRead,
                  .request = {i + 1},
                  .exchange = {},
                  .conn = r.conn,
                  .g = r.g};
    if (r.n_read != 0) events.push_back(e);
    // Only the first read's thread is recorded; where threads share requests it says nothing of
    // others.
    const bool one_thread = trace.model != RuntimeModel::kGoroutines || r.reader == r.writer;
    if (r.t_read_last > e.t && r.t_read_last < r.t_done && one_thread) {
      e.t = r.t_read_last;
      events.push_back(e);
    }
    if (r.n_write == 0) continue;
    e.kind = Kind::kWrite;
    e.thread = r.writer;
    e.t = r.t_write;
    events.push_back(e);
    if (r.t_done > r.t_write && !r.censored && !r.aborted) {
      e.t = r.t_done;
      events.push_back(e);
    }
  }
}

void add_exchange_events(const Trace& trace, std::vector<SocketEvent>& events) {
  for (std::uint32_t i = 0; i < trace.exchanges.size(); ++i) {
    const Exchange& x = trace.exchanges[i];
    SocketEvent e{.t = x.t_write,
                  .thread = x.writer,
                  .kind = Kind::kExchangeWrite,
                  .request = {},
                  .exchange = {i + 1},
                  .conn = x.conn,
                  .g = x.g};
    events.push_back(e);
    e.kind = Kind::kExchangeMore;
    e.t = x.t_write_last;
    if (x.t_write_last > x.t_write) events.push_back(e);
    if (!known(x.t_read)) continue;
    e.kind = Kind::kExchangeRead;
    e.thread = x.reader;
    e.t = x.t_read;
    events.push_back(e);
    e.t = x.t_read_last;
    if (x.t_read_last > x.t_read) events.push_back(e);
  }
}

// The last of `ids` (by time) that began at or before `t`.
template <class Id, class Begin>
Id last_before(const std::vector<Id>& ids, Time t, Begin&& begin) {
  const auto it = std::upper_bound(ids.begin(), ids.end(), t,
                                   [&](Time value, Id id) { return value < begin(id); });
  return it == ids.begin() ? Id{} : *(it - 1);
}

SocketEvent event_of_mark(const rows::Mark& mark, ConnId conn, const ByConn& by_conn,
                          const Trace& trace) {
  const bool write = (mark.kind & kMarkWrite) != 0;
  SocketEvent e{.t = mark.t,
                .thread = thread_at(trace, mark.tid, mark.t),
                .kind = Kind::kConn,
                .request = {},
                .exchange = {},
                .conn = conn,
                .g = mark.g};
  if ((mark.kind & kMarkOpaque) != 0) return e;
  if ((mark.kind & kMarkOut) != 0) {
    e.exchange = last_before(by_conn.exchanges[conn.value], mark.t,
                             [&](ExchangeId id) { return trace.exchange(id).t_write; });
    if (e.exchange) e.kind = write ? Kind::kExchangeMore : Kind::kExchangeRead;
    return e;
  }
  // Requests lie by arrival; on one connection they are read in that order.
  e.request = last_before(by_conn.requests[conn.value], mark.t,
                          [&](RequestId id) { return trace.request(id).t_read; });
  if (e.request) e.kind = write ? Kind::kWrite : Kind::kRead;
  return e;
}

void add_mark_events(const Raw& raw, Trace& trace, std::vector<SocketEvent>& events) {
  if (raw.marks.empty()) return;
  const ByConn by_conn(trace);
  for (const rows::Mark& mark : raw.marks) {
    const auto conn = raw.conn_by_number.find(mark.conn);
    const SocketEvent e = event_of_mark(
        mark, conn == raw.conn_by_number.end() ? ConnId{} : conn->second, by_conn, trace);
    events.push_back(e);
    if (e.request) trace.marks.push_back({.request = e.request, .t = e.t, .thread = e.thread});
  }
  std::sort(trace.marks.begin(), trace.marks.end(), [](const RequestMark& a, const RequestMark& b) {
    return a.request != b.request ? a.request < b.request : a.t < b.t;
  });
}

void link(std::vector<SocketEvent>& events, std::size_t threads) {
  std::vector<std::uint32_t> next(threads + 1);
  for (std::size_t i = events.size(); i-- > 0;) {
    std::uint32_t& slot = next[events[i].thread.value];
    events[i].next = slot;
    slot = static_cast<std::uint32_t>(i + 1);
  }
}

}  // namespace

Time start_of(const Trace& trace, const Request& r) {
  if (!r.previous) return r.t_read;
  const Request& before = trace.request(r.previous);
  if (r.t_read != before.t_read) return r.t_read;
  return std::clamp(before.t_done, r.t_read, r.t_write);
}

std::vector<SocketEvent> collect_events(const Raw& raw, Trace& trace) {
  std::vector<SocketEvent> events;
  events.reserve(trace.requests.size() * 2 + trace.exchanges.size() * 2 + raw.marks.size() +
                 raw.strays.size());
  add_request_events(trace, events);
  add_exchange_events(trace, events);
  add_mark_events(raw, trace, events);
  for (const StrayEvent& stray : raw.strays) {
    SocketEvent e;
    e.t = stray.t;
    e.thread = thread_at(trace, stray.tid, stray.t);
    events.push_back(e);
  }
  std::erase_if(events, [](const SocketEvent& e) { return !e.thread; });
  std::stable_sort(events.begin(), events.end(),
                   [](const SocketEvent& a, const SocketEvent& b) { return a.t < b.t; });
  link(events, trace.threads.size());
  return events;
}

}  // namespace srvprof
