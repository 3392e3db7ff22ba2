// One row a request. Column names are part of the format: append only.
#include <fmt/format.h>

#include <array>

#include "base/escape.h"
#include "render/all.h"
#include "render/states.h"

namespace srvprof {
namespace {

constexpr std::size_t kFlushBytes = 64 * 1024;

constexpr std::string_view kHead =
    "id,conn,route,method,path,status,flags,t_arrive_ns,t_read_ns,t_first_write_ns,t_done_ns,"
    "latency_ns,phase_name,stopped_ns,throttled_ns,steal_ns,runq_preempt_ns,runq_wake_ns,irq_ns,"
    "cpu_ns,behind_ns,blocked_lock_ns,blocked_disk_ns,blocked_fault_ns,blocked_pipe_ns,"
    "blocked_sleep_ns,downstream_ns,pool_ns,backpressure_ns,unexplained_ns,unnamed_ns,accept_ns,"
    "ready_ns,service_ns,write_ns,gc_stop_ns,gc_assist_ns,gc_helpers_ns,"
    "client_begin_ns,client_latency_ns,client_connect_ns,client_send_ns,client_transit_ns,"
    "client_server_ns,client_write_ns,client_runq_ns,client_own_ns,client_idle_ns,client_unknown_ns\n";

// RFC 4180, after the control characters are escaped. A text that a spreadsheet would take for a
// formula gets an apostrophe in front.
std::string csv_text(std::string_view raw) {
  std::string s = escape_text(raw);
  if (!s.empty() && std::string_view("=+-@").find(s[0]) != std::string_view::npos) s.insert(0, "'");
  if (s.find_first_of(",\" ") == std::string::npos) return s;
  std::string out = "\"";
  for (char c : s) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string flags_text(const Request& request) {
  std::string out;
  const auto add = [&](bool set, const char* name) {
    if (set) out += (out.empty() ? "" : "|") + std::string(name);
  };
  add(request.first, "first");
  add(request.censored, "censored");
  add(request.aborted, "aborted");
  add(request.stream, "stream");
  add(request.pipelined, "pipelined");
  return out;
}

std::string_view phase_name_at(const Report& report, Time t) {
  for (const LoadPhase& phase : report.phases) {
    if (t >= phase.begin && t < phase.end) return phase.name;
  }
  return {};
}

void append_ledger(const Ledger& ledger, std::string& out) {
  auto at = std::back_inserter(out);
  for (std::size_t i = 0; i < kStates; ++i) {
    fmt::format_to(at, ",{}", to_ns(ledger.of(static_cast<State>(i))));
  }
  fmt::format_to(at, ",{}", to_ns(ledger.unnamed));
  for (std::size_t i = 0; i < kLifePhases; ++i) {
    fmt::format_to(at, ",{}", to_ns(ledger.of(static_cast<LifePhase>(i))));
  }
  for (const Duration d : ledger.gc) fmt::format_to(at, ",{}", to_ns(d));
}

// Empty where the client's end was not seen.
void append_client(const std::optional<ClientLedger>& ledger, std::string& out) {
  if (!ledger) {
    out.append(2 + kClientLines, ',');
    return;
  }
  auto at = std::back_inserter(out);
  fmt::format_to(at, ",{},{}", to_ns(ledger->begin), to_ns(ledger->latency()));
  for (const Duration d : ledger->line) fmt::format_to(at, ",{}", to_ns(d));
}

}  // namespace

Status render_csv(const Document& document, const RenderOptions&, const ByteSink& sink) {
  const Trace& trace = *document.trace;
  std::string out(kHead);
  std::vector<Tile> tiles;
  for (std::uint32_t i = 1; i <= trace.requests.size(); ++i) {
    const RequestId id{i};
    const Request& request = trace.request(id);
    const std::string_view route = trace.routes[request.route.value];
    tiles_of(trace, id, tiles);
    Ledger ledger;
    for (const Tile& tile : tiles) ledger.add(tile);
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{}", i,
                   request.conn.value, csv_text(route), csv_text(route.substr(0, route.find(' '))),
                   csv_text(trace.strings[request.path.value]), request.status, flags_text(request),
                   to_ns(request.t_arrive), to_ns(request.t_read), to_ns(request.t_write),
                   to_ns(request.t_done), to_ns(request.latency()),
                   csv_text(phase_name_at(*document.report, request.t_arrive)));
    append_ledger(ledger, out);
    append_client(client_ledger(trace, id), out);
    out += '\n';
    if (out.size() >= kFlushBytes) {
      TRY(sink(out));
      out.clear();
    }
  }
  return sink(out);
}

Status render_threads_csv(const Document& document, const RenderOptions&, const ByteSink& sink) {
  const Trace& trace = *document.trace;
  std::string out = "tid,comm,cpu_ns,runq_ns,throttled_ns\n";
  for (const Thread& thread : trace.threads) {
    const ThreadTotals totals = totals_of(thread, trace.t_begin, trace.t_end);
    out += fmt::format("{},{},{},{},{}\n", thread.tid, csv_text(thread.comm), to_ns(totals.cpu),
                       to_ns(totals.runq), to_ns(totals.throttled));
  }
  return sink(out);
}

}  // namespace srvprof
