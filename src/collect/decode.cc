#include "collect/decode.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "base/endpoint.h"
#include "protocol/http1.h"
#include "records.h"

namespace srvprof {
namespace {

// A wire record out of the bytes; the ring aligns to 8, but that is not relied on.
template <class Wire>
bool take(std::span<const std::byte> bytes, Wire& out) {
  if (bytes.size() < sizeof(Wire)) return false;
  std::memcpy(&out, bytes.data(), sizeof(Wire));
  return true;
}

std::string comm_text(const char (&comm)[SP_COMM_LEN]) {
  return std::string(comm, strnlen(comm, SP_COMM_LEN));
}

struct Context {
  std::span<const std::byte> bytes;
  const DecodeOptions& options;
  const DecodeHooks& hooks;
  RecordingWriter& writer;
};

template <class Row>
bool emit(const Context& c, const Row& row, const std::function<void(const Row&)>& hook = nullptr) {
  c.writer.add(row);
  if (hook) hook(row);
  return true;
}

void fill_line(const Context& c, std::string_view head, rows::Request& row) {
  const auto line = parse_request_line(head, SP_HEAD_MAX, c.options.keep_query);
  if (!line) return;  // method and path stay empty: the bytes could not be read
  row.method = line->method;
  row.path = line->path;
  row.path_cut = line->path_cut;
}

bool decode_request(const Context& c) {
  constexpr std::size_t kFixed = sizeof(sp_request) - SP_HEAD_MAX;
  if (c.bytes.size() < kFixed) return false;
  sp_request r{};
  std::memcpy(&r, c.bytes.data(), std::min(c.bytes.size(), sizeof r));
  rows::Request row;
  row.t_arrive = time_from_ns(r.t_arrive);
  row.t_read = time_from_ns(r.h.t);
  row.t_read_last = time_from_ns(r.t_read_last);
  row.t_write = time_from_ns(r.t_write);
  row.t_write_last = time_from_ns(r.t_write_last);
  row.conn = r.conn;
  row.tid_read = r.h.tid;
  row.tid_write = r.tid_write;
  row.flags = r.flags;
  row.status = r.status;
  row.bytes_in = r.bytes_in;
  row.bytes_out = r.bytes_out;
  row.n_read = r.n_read;
  row.n_write = r.n_write;
  row.steal_ns = r.steal_ns;
  row.min_flt = r.min_flt;
  row.maj_flt = r.maj_flt;
  row.g = r.g;
  row.since_open_ns = r.since_open_ns;
  const std::size_t n = std::min<std::size_t>(r.h.aux, c.bytes.size() - kFixed);
  fill_line(c, {reinterpret_cast<const char*>(r.head), std::min<std::size_t>(n, SP_HEAD_MAX)}, row);
  return emit(c, row, c.hooks.request);
}

// What the target's exchanges and the load generator's have in common.
template <typename Row>
void fill_exchange(const sp_exchange& r, Row& row) {
  row.t_write = time_from_ns(r.h.t);
  row.t_write_last = time_from_ns(r.t_write_last);
  row.t_arrive = time_from_ns(r.t_arrive);
  row.t_read = time_from_ns(r.t_read);
  row.t_read_last = time_from_ns(r.t_read_last);
  row.conn = r.conn;
  row.tid_write = r.h.tid;
  row.tid_read = r.tid_read;
  row.flags = r.flags;
  row.bytes_out = r.bytes_out;
  row.bytes_in = r.bytes_in;
}

bool decode_exchange(const Context& c) {
  sp_exchange r{};
  if (!take(c.bytes, r)) return false;
  rows::Exchange row;
  fill_exchange(r, row);
  row.g = r.g;
  return emit(c, row);
}

bool decode_mark(const Context& c) {
  sp_mark r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Mark{time_from_ns(r.h.t), r.h.tid, r.conn, r.h.aux, r.bytes, r.g});
}

bool decode_conn(const Context& c) {
  sp_conn r{};
  if (!take(c.bytes, r)) return false;
  rows::Conn row;
  const bool v6 = (r.h.aux & SP_CONN_IPV6) != 0;
  row.t_open = time_from_ns((r.h.aux & SP_CONN_PREEXISTING) != 0 ? 0 : r.h.t);
  row.t_accept = time_from_ns(r.t_accept);
  row.t_accept_low = time_from_ns(r.t_accept_low);
  row.id = r.conn;
  row.pid = r.pid;
  row.tid = r.h.tid;
  row.flags = r.h.aux;
  row.proto = r.proto;
  row.local_port = r.lport;
  row.remote_port = r.rport;
  row.local_addr = to_string(v6 ? ipv6_address(r.laddr) : ipv4_address(r.laddr));
  row.remote_addr = to_string(v6 ? ipv6_address(r.raddr) : ipv4_address(r.raddr));
  return emit(c, row, c.hooks.conn);
}

bool decode_conn_close(const Context& c) {
  sp_conn_close r{};
  if (!take(c.bytes, r)) return false;
  rows::ConnClose row;
  row.t = time_from_ns(r.h.t);
  row.id = r.conn;
  row.flags = r.h.aux;
  row.requests = r.requests;
  row.bytes_in = r.bytes_in;
  row.bytes_out = r.bytes_out;
  return emit(c, row);
}

rows::OffCpu offcpu_row(const sp_offcpu& r) {
  rows::OffCpu row;
  row.t_in = time_from_ns(r.h.t);
  row.t_out = time_from_ns(r.h.t - r.off_ns);
  row.t_wake = r.runq_ns == r.off_ns ? Time{} : time_from_ns(r.h.t - r.runq_ns);
  row.tid = r.h.tid;
  row.cpu = r.h.aux;
  row.waker = r.waker;
  row.occupant = r.prev_tid;
  row.state = r.state;
  row.sysnr = r.sysnr;
  row.flags = r.flags;
  row.steal_ns = r.steal_ns;
  row.min_flt = r.min_flt;
  row.maj_flt = r.maj_flt;
  return row;
}

bool decode_offcpu(const Context& c) {
  sp_offcpu r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, offcpu_row(r));
}

bool decode_offcpu_long(const Context& c) {
  sp_offcpu_long r{};
  if (!take(c.bytes, r)) return false;
  rows::OffCpu row = offcpu_row(r.s);
  row.t_out = time_from_ns(r.t_out);
  row.t_wake = time_from_ns(r.t_wake);
  row.kstack = r.kstack;
  row.ustack = r.ustack;
  row.throttled_ns = r.throttled_ns;
  return emit(c, row);
}

bool decode_slice(const Context& c) {
  sp_slice r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Slice{time_from_ns(r.h.t), r.h.aux, r.h.tid});
}

bool decode_migrate(const Context& c) {
  sp_migrate r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Migrate{time_from_ns(r.h.t), r.h.tid, r.h.aux, r.to_cpu});
}

bool decode_task(const Context& c) {
  sp_task r{};
  if (!take(c.bytes, r)) return false;
  rows::Task row;
  row.t = time_from_ns(r.h.t);
  row.tid = r.h.tid;
  row.pid = r.pid;
  row.parent = r.parent;
  row.flags = r.h.aux;
  row.cgroup = r.cgroup;
  row.nice = static_cast<std::int32_t>(r.nice) - 20;
  row.comm = comm_text(r.comm);
  return emit(c, row, c.hooks.task);
}

bool decode_task_exit(const Context& c) {
  sp_task_exit r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::TaskExit{time_from_ns(r.h.t), r.h.tid, r.pid});
}

bool decode_sample(const Context& c) {
  sp_sample r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Sample{time_from_ns(r.h.t), r.h.tid, r.h.aux, r.kstack, r.ustack});
}

bool decode_stack(const Context& c) {
  constexpr std::size_t kFixed = sizeof(sp_stack) - SP_STACK_MAX * sizeof(std::uint64_t);
  if (c.bytes.size() < kFixed) return false;
  sp_stack r{};
  std::memcpy(&r, c.bytes.data(), std::min(c.bytes.size(), sizeof r));
  const std::size_t n = std::min<std::size_t>(r.h.aux, (c.bytes.size() - kFixed) / 8);
  rows::Stack row;
  row.hash = r.hash;
  row.pid = r.h.tid;
  row.pcs.assign(r.pc, r.pc + std::min<std::size_t>(n, SP_STACK_MAX));
  return emit(c, row, c.hooks.stack);
}

// Hints are kept only where a frame has one.
bool decode_walk(const Context& c) {
  constexpr std::size_t kFixed = offsetof(sp_walk, frame);
  if (c.bytes.size() < kFixed) return false;
  sp_walk r{};
  std::memcpy(&r, c.bytes.data(), std::min(c.bytes.size(), sizeof r));
  const std::size_t there = (c.bytes.size() - kFixed) / sizeof(sp_frame);
  const std::size_t n = std::min({std::size_t{r.h.aux}, there, std::size_t{SP_STACK_MAX}});
  rows::Stack row;
  row.hash = r.hash;
  row.pid = r.h.tid;
  row.end = r.end < std::uint32_t{SP_ENDS} ? r.end : 0;
  bool hinted = false;
  for (std::size_t i = 0; i < n; ++i) {
    row.pcs.push_back(r.frame[i].pc);
    hinted |= r.frame[i].hint != 0;
  }
  for (std::size_t i = 0; hinted && i < n; ++i) row.hints.push_back(r.frame[i].hint);
  return emit(c, row, c.hooks.stack);
}

bool decode_signal(const Context& c) {
  sp_signal r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Signal{time_from_ns(r.h.t), r.h.tid, r.h.aux, r.sender_pid, r.sender_tid,
                              comm_text(r.sender)});
}

bool decode_freeze(const Context& c) {
  sp_freeze r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Freeze{time_from_ns(r.h.t), r.h.aux != 0, r.pid, r.cgroup, comm_text(r.comm)});
}

bool decode_listen(const Context& c) {
  sp_listen r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Listener{time_from_ns(r.h.t), r.pid, r.h.aux, r.backlog, ""});
}

bool decode_thread_state(const Context& c) {
  sp_thread_state r{};
  if (!take(c.bytes, r)) return false;
  rows::ThreadState row;
  row.t = time_from_ns(r.h.t);
  row.since = time_from_ns(r.since);
  row.t_wake = time_from_ns(r.t_wake);
  row.tid = r.h.tid;
  row.pid = r.pid;
  row.run = r.h.aux;
  row.state = r.state;
  row.sysnr = r.sysnr;
  row.flags = r.flags;
  row.kstack = r.kstack;
  row.comm = comm_text(r.comm);
  row.at_end = c.options.at_end;
  return emit(c, row);
}

bool decode_unsampled(const Context& c) {
  sp_unsampled r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Unsampled{time_from_ns(r.h.t), r.h.tid, r.h.aux});
}

bool decode_irq(const Context& c) {
  sp_irq r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::Irq{time_from_ns(r.h.t), r.h.tid, r.h.aux, r.ns, r.softirq != 0});
}

std::string word(std::span<const std::string_view> words, std::uint64_t number) {
  return number < words.size() ? std::string(words[number]) : "";
}

bool decode_span(const Context& c) {
  sp_span r{};
  if (!take(c.bytes, r) || r.h.aux >= c.options.spans.size()) return false;
  const SpanKind& kind = *c.options.spans[r.h.aux];
  const std::string text(r.text, strnlen(r.text, sizeof r.text));
  rows::Span row;
  row.t_begin = time_from_ns(r.t_begin);
  row.t_end = time_from_ns(r.h.t);
  row.t_stopping = time_from_ns(r.t_stopping);
  row.tid = r.h.tid;
  row.pid = r.pid;
  row.g = r.g;
  row.name = kind.name;
  row.kind = kind.kinds.empty() ? text : word(kind.kinds, r.kind);
  row.reason = word(kind.reasons, r.reason);
  if (!kind.kinds.empty() && !text.empty()) {
    row.reason += row.reason.empty() ? text : " (" + text + ")";
  }
  return emit(c, row, c.hooks.span);
}

bool decode_client_conn(const Context& c) {
  sp_conn r{};
  if (!take(c.bytes, r)) return false;
  rows::ClientConn row;
  const bool v6 = (r.h.aux & SP_CONN_IPV6) != 0;
  const bool found_open = (r.h.aux & SP_CONN_PREEXISTING) != 0;
  row.t_connect = time_from_ns(found_open ? 0 : r.t_accept);
  row.t_open = time_from_ns(found_open ? 0 : r.h.t);
  row.id = r.conn;
  row.pid = r.pid;
  row.flags = r.h.aux;
  row.local_port = r.lport;
  row.remote_port = r.rport;
  row.local_addr = to_string(v6 ? ipv6_address(r.laddr) : ipv4_address(r.laddr));
  row.remote_addr = to_string(v6 ? ipv6_address(r.raddr) : ipv4_address(r.raddr));
  return emit(c, row);
}

bool decode_client_exchange(const Context& c) {
  sp_exchange r{};
  if (!take(c.bytes, r)) return false;
  rows::ClientExchange row;
  const bool long_ago = r.send_ns == ~std::uint32_t{0} || r.send_ns > r.h.t;
  row.t_send = time_from_ns(r.send_ns == 0 || long_ago ? 0 : r.h.t - r.send_ns);
  fill_exchange(r, row);
  return emit(c, row);
}

bool decode_client_off(const Context& c) {
  sp_client_off r{};
  if (!take(c.bytes, r)) return false;
  return emit(c, rows::ClientOff{time_from_ns(r.t_out), time_from_ns(r.t_wake), time_from_ns(r.h.t),
                                 r.h.tid, r.pid, r.h.aux, r.prev_tid, r.waker, r.flags});
}

}  // namespace

bool decode(std::span<const std::byte> record, const DecodeOptions& options, const DecodeHooks& hooks,
            RecordingWriter& writer) {
  sp_head head{};
  if (!take(record, head)) return false;
  const Context c{record, options, hooks, writer};
  switch (head.kind) {
    case SP_REQUEST: return decode_request(c);
    case SP_EXCHANGE: return decode_exchange(c);
    case SP_MARK: return decode_mark(c);
    case SP_CONN: return decode_conn(c);
    case SP_CONN_CLOSE: return decode_conn_close(c);
    case SP_OFFCPU: return decode_offcpu(c);
    case SP_OFFCPU_LONG: return decode_offcpu_long(c);
    case SP_SLICE: return decode_slice(c);
    case SP_MIGRATE: return decode_migrate(c);
    case SP_TASK: return decode_task(c);
    case SP_TASK_EXIT: return decode_task_exit(c);
    case SP_SAMPLE: return decode_sample(c);
    case SP_STACK: return decode_stack(c);
    case SP_WALK: return decode_walk(c);
    case SP_SIGNAL: return decode_signal(c);
    case SP_FREEZE: return decode_freeze(c);
    case SP_LISTEN: return decode_listen(c);
    case SP_THREAD_STATE: return decode_thread_state(c);
    case SP_UNSAMPLED: return decode_unsampled(c);
    case SP_IRQ: return decode_irq(c);
    case SP_SPAN: return decode_span(c);
    case SP_CLIENT_CONN: return decode_client_conn(c);
    case SP_CLIENT_EXCHANGE: return decode_client_exchange(c);
    case SP_CLIENT_OFF: return decode_client_off(c);
    default: return false;
  }
}

}  // namespace srvprof
