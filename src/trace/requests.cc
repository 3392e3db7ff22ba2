// Request, exchange and connection rows -> the model's, and which runtime model it is.
#include <algorithm>

#include <fmt/format.h>

#include "trace/flags.h"
#include "trace/raw.h"
#include "trace/timeline.h"

namespace srvprof {
namespace {

// A response whose writes are spread wider and that was not held up by its reader is a stream.
constexpr Duration kStreamSpan = std::chrono::milliseconds(500);
constexpr std::uint16_t kStreamWrites = 4;

ConnId conn_of(Raw& raw, Trace& trace, std::uint32_t number) {
  const auto next = ConnId{static_cast<std::uint32_t>(trace.conns.size() + 1)};
  const auto [it, added] = raw.conn_by_number.try_emplace(number, next);
  if (added) trace.conns.emplace_back().id = number;  // its row was lost
  return it->second;
}

// Order of life: t_arrive <= t_accepted <= t_read <= t_read_last, t_read <= t_write <= t_done.
void set_times(const RawRequest& raw, const Conn& conn, const Trace& trace, Request& r) {
  r.first = (r.flags & kReqFirst) != 0;
  r.censored = (r.flags & kReqCensored) != 0;
  r.aborted = (r.flags & kReqAborted) != 0;
  r.pipelined = (r.flags & kReqPipelined) != 0;
  if (known(r.t_write)) r.n_write = std::max<std::uint16_t>(r.n_write, 1);
  if (raw.tid_read != 0) r.n_read = std::max<std::uint16_t>(r.n_read, 1);
  if (!known(r.t_read)) r.t_read = r.t_arrive;
  if (!known(r.t_arrive) || r.t_arrive > r.t_read) r.t_arrive = r.t_read;
  r.t_done = raw.t_write_last;
  if (r.censored) r.t_done = trace.t_end;
  if (r.aborted && known(conn.t_close)) r.t_done = conn.t_close;
  r.t_done = std::max({r.t_done, r.t_write, r.t_arrive});
  // Never read: the collector's last look stands where the read would.
  if (raw.tid_read == 0 && r.censored) {
    r.t_read = r.t_done;
    r.n_read = 0;
  }
  r.t_done = std::max(r.t_done, r.t_read);
  r.t_write = known(r.t_write) ? std::clamp(r.t_write, r.t_read, r.t_done) : r.t_done;
  r.t_read_last = std::clamp(r.t_read_last, r.t_read, r.t_done);
  r.t_accepted = r.t_arrive;
  // The upper bound of the accept: the midpoint to the lower one would be made up.
  if (r.first && known(conn.t_accept)) {
    r.t_accepted = std::clamp(conn.t_accept, r.t_arrive, r.t_read);
  }
  const bool spread = r.t_done - r.t_write > kStreamSpan && r.n_write >= kStreamWrites;
  r.stream = spread && (r.flags & kReqSendBlocked) == 0;
}

void add_requests(Raw& raw, Trace& trace) {
  for (RawRequest& r : raw.requests) {
    r.request.conn = conn_of(raw, trace, r.conn);
    set_times(r, trace.conn(r.request.conn), trace, r.request);
    r.request.reader = thread_at(trace, r.tid_read, r.request.t_read);
    r.request.writer = thread_at(trace, r.tid_write, r.request.t_write);
  }
  std::stable_sort(raw.requests.begin(), raw.requests.end(),
                   [](const RawRequest& a, const RawRequest& b) {
                     return a.request.t_arrive < b.request.t_arrive;
                   });
  trace.requests.reserve(raw.requests.size());
  std::vector<RequestId> last(trace.conns.size() + 1);
  for (const RawRequest& r : raw.requests) {
    trace.requests.push_back(r.request);
    const RequestId id{static_cast<std::uint32_t>(trace.requests.size())};
    trace.requests.back().previous = last[r.request.conn.value];
    last[r.request.conn.value] = id;
  }
  raw.requests = {};
}

// Requests that nobody had read at detach wait for whoever read the connection before, else for the
// thread that reads most.
void find_missing_readers(Trace& trace) {
  std::unordered_map<std::uint32_t, std::uint64_t> reads;
  for (const Request& r : trace.requests) ++reads[r.reader.value];
  ThreadId busiest;
  std::uint64_t most = 0;
  for (const auto& [thread, count] : reads) {
    if (thread != 0 && (count > most || (count == most && thread < busiest.value))) {
      busiest = {thread};
      most = count;
    }
  }
  for (Request& r : trace.requests) {
    if (r.reader) continue;
    r.reader = r.previous ? trace.request(r.previous).reader : busiest;
  }
  for (Request& r : trace.requests) {
    if (!r.writer) r.writer = r.reader;
  }
}

void add_exchanges(Raw& raw, Trace& trace) {
  for (RawExchange& x : raw.exchanges) {
    Exchange& e = x.exchange;
    if (!known(e.t_write)) continue;
    e.conn = conn_of(raw, trace, x.conn);
    e.writer = thread_at(trace, x.tid_write, e.t_write);
    e.t_write_last = std::max(e.t_write, e.t_write_last);
    if (known(e.t_read)) {
      e.reader = thread_at(trace, x.tid_read, e.t_read);
      e.t_read = std::max(e.t_read, e.t_write);
      e.t_arrive = known(e.t_arrive) ? std::clamp(e.t_arrive, e.t_write, e.t_read) : e.t_read;
      e.t_read_last = std::max(e.t_read_last, e.t_read);
    }
    trace.exchanges.push_back(e);
  }
  std::stable_sort(trace.exchanges.begin(), trace.exchanges.end(),
                   [](const Exchange& a, const Exchange& b) { return a.t_write < b.t_write; });
  std::vector<ExchangeId> last(trace.conns.size() + 1);
  for (std::uint32_t i = 0; i < trace.exchanges.size(); ++i) {
    Exchange& e = trace.exchanges[i];
    e.previous = last[e.conn.value];
    last[e.conn.value] = {i + 1};
  }
  raw.exchanges = {};
}

bool is_go(const Trace& trace) {
  const auto it = trace.meta.find("target.runtime");
  if (it != trace.meta.end() && !it->second.empty()) {
    return it->second == "go" || it->second.starts_with("go ") || it->second.starts_with("go1");
  }
  return std::any_of(trace.requests.begin(), trace.requests.end(),
                     [](const Request& r) { return r.g != 0; });
}

// Go's net/http reads one byte in the background while a request is in work. When that byte is the
// first of the next request, the first read is not the serving goroutine's: the second one is.
void skip_background_reads(Raw& raw, Trace& trace) {
  std::vector<std::uint64_t> serving(trace.conns.size() + 1);
  for (const Request& r : trace.requests) {
    if (r.n_read == 1 && r.g != 0) serving[r.conn.value] = r.g;
  }
  std::unordered_map<std::uint32_t, std::vector<Time>> marks;
  for (const rows::Mark& m : raw.marks) {
    if ((m.kind & (kMarkRead | kMarkOut | kMarkOpaque)) == kMarkRead) marks[m.conn].push_back(m.t);
  }
  for (auto& [conn, times] : marks) std::sort(times.begin(), times.end());
  for (Request& r : trace.requests) {
    const std::uint64_t g = serving[r.conn.value];
    if (r.n_read < 2 || g == 0 || r.g == g || r.t_read_last <= r.t_read) continue;
    Time second = r.t_read_last;
    if (const auto it = marks.find(trace.conn(r.conn).id); r.n_read > 2 && it != marks.end()) {
      const auto mark = std::upper_bound(it->second.begin(), it->second.end(), r.t_read);
      if (mark != it->second.end()) second = std::min(second, *mark);
    }
    r.background_read = true;
    r.g = g;
    r.t_read = std::min(second, r.t_write);
    r.t_read_last = std::max(r.t_read, r.t_read_last);
    r.reader = r.writer;  // not recorded; the goroutine that reads the rest also writes
  }
}

// Loops: threads that answer what they read, and read a request while an earlier one of theirs is
// open or sleep in epoll.
bool is_event_loop(const Trace& trace) {
  std::vector<Time> open_until(trace.threads.size() + 1);
  std::uint64_t overlapping = 0, reads = 0, handed_over = 0;
  std::vector<const Request*> by_read;
  for (const Request& r : trace.requests) {
    if (r.reader && !r.pipelined) by_read.push_back(&r);
  }
  std::stable_sort(by_read.begin(), by_read.end(),
                   [](const Request* a, const Request* b) { return a->t_read < b->t_read; });
  std::vector<bool> is_reader(trace.threads.size() + 1);
  for (const Request* r : by_read) {
    ++reads;
    if (r->reader != r->writer) {
      ++handed_over;
      continue;
    }
    Time& until = open_until[r->reader.value];
    overlapping += r->t_read < until;
    until = std::max(until, r->t_done);
    is_reader[r->reader.value] = true;
  }
  if (handed_over * 2 > reads) return false;
  // A few overlaps happen to any server: an answer that is still being written, a handed-over
  // request.
  if (overlapping * 50 > reads) return true;
  std::uint64_t epoll = 0, other = 0;
  for (std::uint32_t i = 0; i < trace.threads.size(); ++i) {
    if (!is_reader[i + 1]) continue;
    for (const OffInterval& off : trace.threads[i].off) {
      const bool events = off.wait == Wait::kEvents && off.sysnr != 7 && off.sysnr != 271;
      epoll += events;
      other += off.wait == Wait::kSocket || off.wait == Wait::kAccept || off.wait == Wait::kFutex;
    }
  }
  return epoll > other;
}

}  // namespace

void build_requests(Raw& raw, Trace& trace) {
  add_requests(raw, trace);
  find_missing_readers(trace);
  add_exchanges(raw, trace);
  if (is_go(trace)) {
    trace.model = RuntimeModel::kGoroutines;
    skip_background_reads(raw, trace);
  } else if (is_event_loop(trace)) {
    trace.model = RuntimeModel::kEventLoop;
  } else {
    trace.model = RuntimeModel::kThreadPerRequest;
  }
}

}  // namespace srvprof
