#include "analyze/coverage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

#include "analyze/client_view.h"
#include "analyze/collections.h"
#include "analyze/losses.h"
#include "analyze/stack_coverage.h"
#include "analyze/name_sources.h"
#include "analyze/words.h"
#include "base/parse.h"
#include "trace/flags.h"

namespace srvprof {
namespace {

using Level = CoverageLine::Level;

struct Unmeasured {
  const char *counter, *topic, *what;
};
// Counters of what was seen but is no request here.
constexpr Unmeasured kUnmeasured[] = {
    {"unmeasured.unix", "Unix sockets", "reads and writes on Unix sockets"},
    {"unmeasured.udp", "UDP", "reads and writes on UDP sockets"},
    {"unmeasured.other_family", "other sockets", "reads and writes on sockets of other families"},
    {"unmeasured.tls", "TLS", "connections that speak TLS: what they carry is opaque"},
    {"unmeasured.http2", "HTTP/2", "connections that speak HTTP/2"},
    {"unmeasured.other_protocol", "other protocols", "connections that speak no HTTP/1"},
    {"unmeasured.upgraded", "upgraded connections", "connections that left HTTP (101 or CONNECT)"},
};

void losses(const Trace& trace, const ReportHeader& header, std::vector<CoverageLine>& out) {
  for (const auto& [reason, count] : header.losses) {
    out.push_back({Level::kLoss, reason, count_words(count)});
  }
  for (const std::string& damage : trace.read_damage) {
    out.push_back({Level::kLoss, "damage in the file", damage});
  }
  if (header.end_reason.starts_with("watchdog: ")) {
    out.push_back({Level::kLoss, "end", "srvprof ended the recording by itself: " +
                                            header.end_reason.substr(std::strlen("watchdog: "))});
  }
  if (!header.clean_end) {
    out.push_back({Level::kLoss, "end",
                   "the recording was not closed in order; what came after its "
                   "last whole chunk is missing"});
  }
}

void not_measured(const Trace& trace, std::vector<CoverageLine>& out) {
  std::map<std::string, std::uint64_t> last;
  for (const rows::Counter& row : trace.counters) {
    last[row.name] = std::max(last[row.name], row.value);
  }
  for (const Unmeasured& u : kUnmeasured) {
    const auto found = last.find(u.counter);
    if (found == last.end() || found->second == 0) continue;
    out.push_back(
        {Level::kNotMeasured, u.topic, fmt::format("{} {}", count_words(found->second), u.what)});
  }
  // Probes that are off for the same reason are one line.
  std::map<std::pair<bool, std::string>, std::string> names;
  for (const rows::Capability& c : trace.capabilities) {
    if (c.used && c.detail.empty()) continue;
    std::string& list = names[{c.used, c.detail.empty() ? "not used" : c.detail}];
    list += (list.empty() ? "" : ", ") + c.name;
  }
  for (const auto& [why, list] : names) {
    out.push_back({why.first ? Level::kInfo : Level::kNotMeasured, list, why.second});
  }
}

void special_requests(const Trace& trace, const ReportHeader& h, std::vector<CoverageLine>& out) {
  const auto add = [&](std::uint64_t n, const char* topic, const std::string& text) {
    if (n) out.push_back({Level::kInfo, topic, fmt::format("{} {}", count_words(n), text)});
  };
  Duration shortest{};
  for (const Request& r : trace.requests) {
    if (r.censored && (shortest == Duration(0) || r.latency() < shortest)) shortest = r.latency();
  }
  add(h.censored, "in flight at the end",
      fmt::format("requests, counted with the time that they had taken (>= {})",
                  ms_words(shortest)));
  add(h.left_out_at_attach, "in flight at attach", "requests, left out");
  add(h.aborted, "aborted", "requests whose peer went away, counted with the time until then");
  add(h.streams, "streams", "long answers, kept out of the percentiles");
  add(h.pipelined, "pipelined", "requests that share the arrival of the one before them");
  std::uint64_t no_arrival = 0, opaque = 0;
  for (const Request& r : trace.requests) {
    no_arrival += (r.flags & kReqNoArrival) != 0;
    opaque += (r.flags & kReqNoBytes) != 0;
  }
  add(no_arrival, "arrival", "requests whose arrival is not known: counted from their first read");
  add(opaque, "path", "requests whose first line could not be read");
}

void governor(const ReportHeader& h, std::vector<CoverageLine>& out) {
  if (!h.governor_engaged) return;
  out.push_back(
      {Level::kLoss, "governor",
       fmt::format("to keep up, at times only one in {} new connections was recorded in full",
                   h.governor_max_one_in)});
}

void quality(const std::vector<GroupData>& groups, std::vector<CoverageLine>& out) {
  std::uint64_t tail = 0;
  double time = 0, unnamed = 0;
  for (const GroupData& g : groups) {
    const double n = static_cast<double>(g.out.tail_requests);
    tail += g.out.tail_requests;
    time += to_ms(g.out.tail.total()) * n;
    unnamed += to_ms(g.out.tail.unnamed) * n;
  }
  if (tail == 0 || time <= 0) return;
  out.push_back({Level::kInfo, "unexplained",
                 fmt::format("{} of the time of the {} slow requests has no named owner",
                             percent_words(unnamed / time), count_words(tail))});
}

void own_cost(const ReportHeader& h, std::vector<CoverageLine>& out) {
  if (h.own_cost_per_request > Duration(0)) {
    out.push_back({Level::kCost, "probes",
                   fmt::format("{:.2f} us of CPU a request",
                               static_cast<double>(h.own_cost_per_request.count()) / 1e3)});
  }
  if (h.collector_rss_bytes || h.collector_cpu_share > 0) {
    out.push_back({Level::kCost, "collector",
                   fmt::format("{} of one CPU, {} of memory, {} through the ring",
                               percent_words(h.collector_cpu_share),
                               bytes_words(h.collector_rss_bytes), bytes_words(h.ring_bytes))});
  }
}

std::string meta(const Trace& trace, const char* key) {
  const auto found = trace.meta.find(key);
  return found == trace.meta.end() ? std::string{} : found->second;
}

// "2026-01-31T12:00:00Z" of the first clock pair, moved to t_begin.
std::string start_utc(const Trace& trace) {
  if (trace.clocks.empty()) return {};
  const rows::Clock& pair = trace.clocks.front();
  const std::int64_t ns =
      static_cast<std::int64_t>(pair.realtime_ns) + (trace.t_begin - pair.t).count();
  std::int64_t days = ns / 86'400'000'000'000;
  const std::int64_t seconds = ns / 1'000'000'000 % 86'400;
  // Civil date from days since 1970 (Howard Hinnant's algorithm, valid for all dates after it).
  days += 719'468;
  const std::int64_t era = days / 146'097, doe = days % 146'097;
  const std::int64_t yoe = (doe - doe / 1460 + doe / 36'524 - doe / 146'096) / 365;
  const std::int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  const std::int64_t mp = (5 * doy + 2) / 153;
  const std::int64_t day = doy - (153 * mp + 2) / 5 + 1, month = mp < 10 ? mp + 3 : mp - 9;
  const std::int64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", year, month, day, seconds / 3600,
                     seconds / 60 % 60, seconds % 60);
}

void fill_target(const Trace& trace, ReportHeader& h) {
  h.comm = meta(trace, "target.comm");
  h.argv = meta(trace, "target.argv");
  h.runtime = meta(trace, "target.runtime");
  h.pid = parse_number<std::uint32_t>(meta(trace, "target.pid")).value_or(0);
  const std::string ports = meta(trace, "target.ports");
  std::string_view rest = ports;
  while (!rest.empty()) {
    if (const auto port = parse_number<std::uint32_t>(trim(next_until(rest, ',')))) {
      h.ports.push_back(*port);
    }
  }
  for (const rows::Listener& l : trace.listeners) h.ports.push_back(l.port);
  std::sort(h.ports.begin(), h.ports.end());
  h.ports.erase(std::unique(h.ports.begin(), h.ports.end()), h.ports.end());
}

void fill_counts(const Trace& trace, ReportHeader& h) {
  h.requests = trace.requests.size();
  h.losses = losses_by_reason(trace);
  h.lost = lost_requests(trace);
  h.left_out_at_attach = trace.left_out_at_attach;
  for (const Conn& c : trace.conns) h.connections += !c.outgoing;
  for (const Request& r : trace.requests) {
    h.censored += r.censored;
    h.aborted += r.aborted;
    h.streams += r.stream;
    h.pipelined += r.pipelined;
  }
  for (const rows::Governor& g : trace.governor) {
    h.governor_engaged |= g.one_in > 1;
    h.governor_max_one_in = std::max(h.governor_max_one_in, g.one_in);
  }
}

// The probes' run time was counted in windows of a few per cent of the time: scaled to all of it.
void fill_cost(const Trace& trace, ReportHeader& h) {
  if (trace.own_cost.empty()) return;
  const rows::OwnCost &first = trace.own_cost.front(), &last = trace.own_cost.back();
  h.collector_rss_bytes = last.rss_bytes;
  for (const rows::OwnCost& row : trace.own_cost) {
    h.collector_rss_bytes = std::max(h.collector_rss_bytes, row.rss_bytes);
  }
  h.ring_bytes = last.ring_bytes;
  const double span = to_seconds(last.t - first.t);
  if (span > 0 && last.cpu_ns >= first.cpu_ns) {
    h.collector_cpu_share = static_cast<double>(last.cpu_ns - first.cpu_ns) / 1e9 / span;
  }
  if (last.bpf_sampled_ns == 0 || h.requests == 0) return;
  const double busy =
      static_cast<double>(last.bpf_run_ns) / static_cast<double>(last.bpf_sampled_ns);
  const double total = busy * static_cast<double>(h.duration.count());
  h.own_cost_per_request =
      Duration(static_cast<std::int64_t>(total / static_cast<double>(h.requests)));
}

}  // namespace

ReportHeader header_of(const Trace& trace, const Facts& facts, const std::string& file) {
  ReportHeader h;
  h.file = file;
  h.version = meta(trace, "srvprof.version");
  h.command = meta(trace, "srvprof.command");
  h.kernel = meta(trace, "host.kernel");
  h.mode = meta(trace, "mode");
  h.start_utc = start_utc(trace);
  h.cpus = facts.cpus;
  h.duration = trace.t_end - trace.t_begin;
  h.target_cpus = facts.target_cpus;
  h.target_idle_share = facts.target_idle_share;
  h.clean_end = trace.clean_end;
  h.end_reason = trace.end_reason;
  fill_target(trace, h);
  fill_counts(trace, h);
  fill_cost(trace, h);
  return h;
}

std::vector<CoverageLine> coverage_of(const Trace& trace, const ReportHeader& header,
                                      const std::vector<GroupData>& groups) {
  std::vector<CoverageLine> out;
  losses(trace, header, out);
  governor(header, out);
  not_measured(trace, out);
  if (std::string gc = collections_words(trace); !gc.empty()) {
    out.push_back({Level::kInfo, "garbage collection", std::move(gc)});
  }
  if (std::string cpu = collector_cpu_words(trace); !cpu.empty()) {
    out.push_back({Level::kInfo, "the collector's CPU", std::move(cpu)});
  }
  for (std::string& text : unseen_clients(trace)) {
    out.push_back({Level::kNotMeasured, "the client's side", std::move(text)});
  }
  special_requests(trace, header, out);
  quality(groups, out);
  for (CoverageLine& line : stack_coverage(trace)) out.push_back(std::move(line));
  for (CoverageLine& line : name_sources(trace)) out.push_back(std::move(line));
  if (!header.mode.empty()) out.push_back({Level::kInfo, "mode", header.mode});
  own_cost(header, out);
  return out;
}

}  // namespace srvprof
