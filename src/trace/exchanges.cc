// On whose behalf an exchange with a downstream was made.
#include <algorithm>
#include <unordered_map>

#include "trace/events.h"
#include "trace/ledger.h"

namespace srvprof {
namespace {

using Kind = SocketEvent::Kind;

// Walks the events in time order and keeps what each thread is working for.
class Attribution {
 public:
  Attribution(std::vector<SocketEvent>& events, Trace& trace)
      : events_(events),
        trace_(trace),
        current_(trace.threads.size() + 1),
        last_(trace.threads.size() + 1),
        open_(trace.threads.size() + 1),
        off_(trace.threads.size() + 1),
        waiting_(trace.requests.size() + 1) {}

  void run() {
    for (SocketEvent& e : events_) {
      step(e);
      current_[e.thread.value] = e.request;
      last_[e.thread.value] = e.t;
      if (e.g != 0 && e.request) request_of_g_[e.g] = e.request;
    }
  }

 private:
  void step(SocketEvent& e) {
    switch (e.kind) {
      case Kind::kRead:
        if (trace_.request(e.request).t_done > e.t) open_[e.thread.value].push_back(e.request);
        return;
      case Kind::kExchangeWrite: {
        Exchange& x = trace_.exchanges[e.exchange.value - 1];
        x.request = writer_of(e);
        e.request = x.request;
        waiting_[x.request.value] += x.request ? 1 : 0;
        return;
      }
      case Kind::kExchangeRead: {
        Exchange& x = trace_.exchanges[e.exchange.value - 1];
        if (e.t == x.t_read) {
          if (x.request && waiting_[x.request.value] > 0) --waiting_[x.request.value];
          told_by_next(e, x);
        }
        e.request = x.request;
        return;
      }
      case Kind::kExchangeMore: e.request = trace_.exchange(e.exchange).request; return;
      case Kind::kWrite:
      case Kind::kConn:
      case Kind::kStray: return;
    }
  }

  bool is_open(RequestId id, Time t) const {
    return id && trace_.request(id).t_read <= t && t < trace_.request(id).t_done;
  }

  RequestId writer_of(const SocketEvent& e) {
    if (trace_.model == RuntimeModel::kGoroutines && e.g != 0) {
      const auto it = request_of_g_.find(e.g);
      if (it != request_of_g_.end() && is_open(it->second, e.t)) return it->second;
    }
    // Another goroutine that writes for it (a client library's own) runs next on the same thread.
    const RequestId current = current_[e.thread.value];
    if (trace_.model != RuntimeModel::kEventLoop || !idled_since_last(e)) {
      return is_open(current, e.t) ? current : RequestId{};
    }
    return only_candidate(e);
  }

  // Whether the thread waited for events since its last one: then code of no known request runs.
  bool idled_since_last(const SocketEvent& e) {
    const std::vector<OffInterval>& off = trace_.thread(e.thread).off;
    std::size_t& i = off_[e.thread.value];
    while (i < off.size() && off[i].t_in <= last_[e.thread.value]) ++i;
    for (std::size_t k = i; k < off.size() && off[k].t_in <= e.t; ++k) {
      if (off[k].wait == Wait::kEvents) return true;
    }
    return false;
  }

  // The one open request of the thread that waits for nothing else.
  RequestId only_candidate(const SocketEvent& e) {
    std::vector<RequestId>& open = open_[e.thread.value];
    std::erase_if(open, [&](RequestId id) { return trace_.request(id).t_done <= e.t; });
    RequestId found;
    for (const RequestId id : open) {
      if (waiting_[id.value] != 0 || id == found) continue;
      if (found) return {};
      found = id;
    }
    return found;
  }

  // A question without owner, or whose owner was done before the reply came (it handed a pooled
  // connection on): the request whose socket event follows the reply at once has asked it.
  void told_by_next(const SocketEvent& e, Exchange& x) {
    if (x.request && trace_.request(x.request).t_done > x.t_arrive) return;
    if (e.next == 0) return;
    const SocketEvent& next = events_[e.next - 1];
    if (next.kind != Kind::kWrite || !next.request) return;
    const Request& r = trace_.request(next.request);
    if (r.t_read <= x.t_write && r.t_done >= x.t_read) x.request = next.request;
  }

  std::vector<SocketEvent>& events_;
  Trace& trace_;
  std::vector<RequestId> current_;            // by thread: whose code runs
  std::vector<Time> last_;                    // by thread: its last event
  std::vector<std::vector<RequestId>> open_;  // by thread: read, and not yet seen to be done
  std::vector<std::size_t> off_;              // by thread: cursor into its intervals
  std::vector<std::uint32_t> waiting_;        // by request: replies due
  std::unordered_map<std::uint64_t, RequestId> request_of_g_;
};

void index_exchanges(Trace& trace) {
  trace.exchanges_of_request_start.assign(trace.requests.size() + 2, 0);
  trace.orphan_exchanges = 0;
  for (const Exchange& x : trace.exchanges) {
    ++trace.exchanges_of_request_start[x.request.value + 1];
    trace.orphan_exchanges += x.request ? 0 : 1;
  }
  auto& start = trace.exchanges_of_request_start;
  for (std::size_t i = 1; i < start.size(); ++i) start[i] += start[i - 1];
  trace.exchanges_of_request_index.resize(trace.exchanges.size());
  std::vector<std::uint32_t> fill(start.begin(), start.end() - 1);
  for (std::uint32_t i = 0; i < trace.exchanges.size(); ++i) {
    const std::uint32_t request = trace.exchanges[i].request.value;
    trace.exchanges_of_request_index[fill[request]++] = {i + 1};
  }
}

}  // namespace

void attribute_exchanges(std::vector<SocketEvent>& events, Trace& trace) {
  Attribution(events, trace).run();
  // Events that were passed before their exchange found its owner.
  for (SocketEvent& e : events) {
    if (e.exchange) e.request = trace.exchange(e.exchange).request;
  }
  index_exchanges(trace);
}

std::vector<ExchangeId> exchanges_of(const Trace& trace, RequestId id) {
  const auto& start = trace.exchanges_of_request_start;
  if (id.value + 1U >= start.size()) return {};
  return {trace.exchanges_of_request_index.begin() + start[id.value],
          trace.exchanges_of_request_index.begin() + start[id.value + 1]};
}

}  // namespace srvprof
