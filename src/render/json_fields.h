// The fields of the JSON report, one list a struct. The same lists make the document (json.cc) and
// its schema (json_schema.cc), so the two cannot disagree. A field is never renamed or given
// another meaning within srvprof.report/1; new ones are appended.
//
// A visitor V has
//   v.field(name, value, doc)        number, bool, string, Duration (ns), Time (ns), vector, struct
//   v.object(name, doc, f)           a nested object: f(visitor of it)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/report.h"
#include "render/format.h"
#include "render/states.h"

namespace srvprof {

inline constexpr const char* kJsonVersion = "srvprof.report/1";

// The whole document.
struct JsonReport {
  const Report* report = nullptr;
  std::vector<rows::Capability> probes;  // of the recording, if there is one
};

struct JsonCount {
  std::string reason;
  std::uint64_t count = 0;
};

struct JsonStatus {
  std::uint16_t status = 0;
  std::uint64_t requests = 0;
};

template <class V>
void describe(V& v, const JsonCount& c) {
  v.field("reason", c.reason, "what was lost, or why");
  v.field("count", c.count, "");
}

template <class V>
void describe(V& v, const JsonStatus& s) {
  v.field("status", s.status, "0: no answer was seen");
  v.field("requests", s.requests, "");
}

template <class V>
void describe(V& v, const rows::Capability& c) {
  v.field("name", c.name, "probe or source of facts");
  v.field("used", c.used, "");
  v.field("detail", c.detail, "why not, or a limit that holds although it is used");
}

template <class V>
void describe(V& v, const Percentile& p) {
  v.field("value_ns", p.value, "");
  v.field("low_ns", p.low, "95 % confidence interval");
  v.field("high_ns", p.high, "95 % confidence interval");
  v.field("enough", p.enough, "there are enough requests to claim it");
}

template <class V>
void describe(V& v, const Ledger& ledger) {
  for (std::size_t p = 0; p < kLifePhases; ++p) {
    v.object(kLifePhaseKeys[p], "", [&](auto& states) {
      for (std::size_t s = 0; s < kStates; ++s) {
        states.field(std::string(kStateKeys[s]) + "_ns", ledger.cell[p][s], "");
      }
    });
  }
}

template <class V>
void describe_gc(V& v, const Ledger& ledger) {
  v.field("stop_ns", ledger.gc[0], "stopped by the collector");
  v.field("assist_ns", ledger.gc[1], "helped the collector");
  v.field("helpers_ns", ledger.gc[2], "waited for a CPU that the collector's helpers held, in a pause");
}

template <class V>
void describe(V& v, const Culprit& c) {
  v.field("pid", c.pid, "0: not a process");
  v.field("tid", c.tid, "0: the whole process, or none");
  v.field("comm", c.comm, "");
  v.field("cgroup", c.cgroup, "");
  v.field("what", c.what, "in words: a route, a peer address, ...");
  v.field("time_ns", c.time, "mean of a slow request");
  v.field("share_of_gap", c.share_of_gap, "0..1");
}

template <class V>
void describe(V& v, const Finding& f) {
  v.field("cause", f.cause, "id: see srvprof list causes");
  v.field("title", f.title, "");
  v.field("share", f.share, "of the gap between slow and ordinary requests, 0..1");
  v.field("gap_ns", f.gap, "that share, mean of a slow request");
  v.field("requests", f.requests, "slow requests in which it matters");
  v.field("tail_requests", f.tail_requests, "all slow requests");
  v.field("stalls", f.stalls, "distinct intervals that did it");
  v.field("of_body", f.of_body, "true: what the ordinary request is made of, not the gap");
  v.field("evidence", f.evidence, "");
  v.field("ruled_out", f.ruled_out, "look-alikes");
  v.field("tries", f.tries, "what to change");
  v.field("culprits", f.culprits, "");
  std::optional<Duration> low, high;
  if (f.p99_without) low = f.p99_without->first, high = f.p99_without->second;
  v.field("p99_without_low_ns", low, "estimated p99 without this cause");
  v.field("p99_without_high_ns", high, "estimated p99 without this cause");
  v.field("share_is_of_client", f.share_is_of_client,
          "true: share and gap are of what clients waited outside the server");
}

template <class V>
void describe(V& v, const LoadPhase& p) {
  v.field("name", p.name, "");
  v.field("begin_ns", p.begin, "");
  v.field("end_ns", p.end, "");
  v.field("why", p.why, "why the boundary is where it is");
  v.field("requests", p.requests, "");
  v.field("cpu_known", p.cpu_known, "the next four were recorded");
  v.field("target_cpus", p.target_cpus, "CPU seconds a second");
  v.field("generator_cpus", p.generator_cpus, "");
  v.field("generator_runq", p.generator_runq, "seconds queued for a CPU, a second");
  v.field("machine_cpus", p.machine_cpus, "of all processes");
}

template <class V>
void describe(V& v, const Group& g) {
  v.field("route", g.route, "");
  v.field("phase", g.phase, "name of the load's phase");
  v.field("first_requests", g.first_requests, "the first request of each connection, kept apart");
  v.field("requests", g.requests, "");
  v.field("body_requests", g.body_requests, "ordinary ones: p40 to p60");
  v.field("tail_requests", g.tail_requests, "slow ones: above the tail's percentile");
  v.field("errors", g.errors, "status >= 500, or aborted");
  v.field("censored", g.censored, "in flight at the end: counted with the time seen");
  v.field("aborted", g.aborted, "");
  v.field("streams", g.streams, "");
  v.field("pipelined", g.pipelined, "");
  std::vector<JsonStatus> statuses;
  for (const auto& [status, n] : g.statuses) statuses.push_back({status, n});
  v.field("statuses", statuses, "");
  v.percentiles("percentiles", g.percentiles, "keys p50_ns, p99_ns, p99_9_ns ...");
  v.field("max_ns", g.max, "");
  v.field("mean_ns", g.mean, "");
  v.field("ttfb_p50_ns", g.ttfb_p50, "time to first byte");
  v.field("write_span_p99_ns", g.write_span_p99, "first to last write");
  v.field("body", g.body, "mean ledger of an ordinary request: phase of its life x state");
  v.field("tail", g.tail, "mean ledger of a slow request");
  v.field("body_unnamed_ns", g.body.unnamed, "part of body without a named owner");
  v.field("tail_unnamed_ns", g.tail.unnamed, "part of tail without a named owner");
  v.field("gap_ns", g.gap, "mean(tail) - mean(body)");
  v.field("unexplained_share", g.unexplained_share, "of the tail's time, unnamed parts included");
  v.field("explained", g.explained, "false: nothing is claimed");
  v.field("not_explained_why", g.not_explained_why, "");
  v.field("findings", g.findings, "by share, largest first");
  v.object("body_gc", "part of body, over its states", [&](auto& o) { describe_gc(o, g.body); });
  v.object("tail_gc", "part of tail, over its states", [&](auto& o) { describe_gc(o, g.tail); });
}

template <class V>
void describe(V& v, const ExemplarTile& t) {
  v.field("offset_ns", t.offset, "after the arrival");
  v.field("length_ns", t.length, "");
  v.field("phase", std::string(kLifePhaseKeys[static_cast<std::size_t>(t.phase)]), "of its life");
  v.field("state", std::string(kStateKeys[static_cast<std::size_t>(t.state)]), "");
  v.field("who", t.who, "");
  v.field("where", t.where, "innermost known frame");
}

template <class V>
void describe(V& v, const ClientLedger& c) {
  v.field("begin_ns", c.begin, "connecting, or sending, began");
  v.field("latency_ns", c.latency(), "until the client had read the answer: the sum of the lines");
  v.object("lines", "in the order in which a request goes through them", [&](auto& o) {
    for (std::size_t i = 0; i < kClientLines; ++i) {
      o.field(std::string(kClientLineKeys[i]) + "_ns", c.line[i], "");
    }
  });
  v.field("unread_ns", c.unread, "of these lines: the answer lay in the client's receive queue");
  v.field("unread_runq_ns", c.unread_runq, "of that a thread of the client waited for a CPU");
}

template <class V>
void describe(V& v, const Exemplar& e) {
  v.field("id", e.id, "");
  v.field("route", e.route, "");
  v.field("path", e.path, "");
  v.field("phase", e.phase, "name of the load's phase");
  v.field("flags", e.flags, "");
  v.field("status", e.status, "0: no answer was seen");
  v.field("t_arrive_ns", e.t_arrive, "");
  v.field("latency_ns", e.latency, "");
  v.field("ledger", e.ledger, "phase of its life x state: sums to the latency");
  v.field("unnamed_ns", e.ledger.unnamed, "part of the ledger without a named owner");
  v.field("tiles", e.tiles, "");
  v.object("gc", "part of the ledger, over its states", [&](auto& o) { describe_gc(o, e.ledger); });
  v.field("client", e.client, "seen from the load generator's end; null: that was not traced");
}

template <class V>
void describe(V& v, const CoverageLine& c) {
  static constexpr const char* kLevels[] = {"info", "not_measured", "loss", "cost"};
  v.field("level", std::string(kLevels[static_cast<std::size_t>(c.level)]),
          "info, not_measured, loss or cost");
  v.field("topic", c.topic, "");
  v.field("text", c.text, "");
}

template <class V>
void describe(V& v, const CollectionTotals& c) {
  v.field("name", c.name, "gc.pause, gc.slice, gc.stw, gc.assist, gc.cycle, vmop");
  v.field("kind", c.kind, "the runtime's word, may be empty");
  v.field("count", c.count, "");
  v.field("time_ns", c.time, "");
  v.field("longest_ns", c.longest, "");
  v.field("kept_off_ns", c.kept_off, "of the time, the collecting thread waited for a CPU or was throttled");
}

template <class V>
void describe(V& v, const MachineProcess& p) {
  v.field("pid", p.pid, "");
  v.field("comm", p.comm, "");
  v.field("cpus", p.cpus, "CPU seconds a second");
  v.field("runq", p.runq, "seconds queued for a CPU, a second");
  v.field("target", p.target, "");
  v.field("load_generator", p.load_generator, "");
}

template <class V>
void describe(V& v, const BothEnds& b) {
  v.field("percentile", b.p, "");
  v.field("client_ns", b.client, "as the load generator told it: see client_kind");
  v.field("client_intended_ns", b.client_intended, "from when the request was due");
  v.field("client_seen_ns", b.seen, "at its end of the connections: null where that was not traced");
  v.field("server_ns", b.server, "arrival to last write");
  v.field("server_intended_ns", b.server_intended, "estimate: of a closed loop");
  v.field("enough", b.enough, "there are enough requests to claim it");
}

template <class V>
void describe(V& v, const LoadPart& p) {
  v.field("phase", p.phase, "empty: the generator's whole run, phases mixed");
  v.field("client_requests", p.client_requests, "samples of the generator; 0: it keeps none");
  v.field("server_requests", p.server_requests, "");
  v.field("seen_requests", p.seen_requests, "of these, at the generator's end of the connections");
  v.field("client_mean_ns", p.client_mean, "as client_ns");
  v.field("client_seen_mean_ns", p.seen_mean, "as client_seen_ns");
  v.field("server_mean_ns", p.server_mean, "as server_ns");
  v.field("percentiles", p.percentiles, "");
}

template <class V>
void describe(V& v, const ClientGap& g) {
  v.field("difference_ns", g.difference, "client's mean latency - server's; the next four add up to it");
  v.field("send_ns", g.send, "connecting, sending, the way to the server");
  v.field("runq_ns", g.runq, "the generator's threads waited for a CPU");
  v.field("own_ns", g.own, "its own code ran");
  v.field("other_ns", g.other, "none of its threads ran or wanted to, or it is not known");
  v.field("inside_ns", g.inside, "of runq and own: in the generator before its send or after its read, estimate");
}

template <class V>
void describe(V& v, const LoadView& l) {
  v.field("source", l.source, "");
  v.field("problem", l.problem, "why its output could not be read; empty: it could");
  v.field("tool", l.tool, "");
  v.field("format", l.format, "see srvprof list loadgens");
  v.field("target", l.target, "URL");
  v.field("pid", l.pid, "0: not known");
  v.field("begin_ns", l.begin, "");
  v.field("end_ns", l.end, "");
  v.field("aligned", l.aligned, "how its times were aligned");
  v.field("ended", l.ended, "of a command: how, unless by itself and with status 0");
  v.field("connections", l.connections, "recorded");
  v.field("counted", l.counted, "whole answers, by the generator");
  v.field("unanswered", l.unanswered, "requests without a whole answer, by the generator");
  v.field("recorded", l.recorded, "requests on its connections");
  v.field("open_at_end", l.open_at_end, "at most so many requests were in flight when it stopped");
  v.field("counts_agree", l.counts_agree, "but for those");
  v.field("count_lines", l.count_lines, "the difference explained");
  v.field("loop", std::string(name_of(l.loop)), "closed, open or unknown");
  v.field("loop_why", l.loop_why, "");
  v.field("turnaround_p50_ns", l.turnaround_p50, "closed loop: from an answer to the next request");
  v.field("turnaround_p99_ns", l.turnaround_p99, "");
  v.field("turnaround_mean_ns", l.turnaround_mean, "");
  v.field("client_kind", l.client_kind, "what client_ns counts from");
  v.field("client_resolution_ns", l.resolution, "");
  v.field("client_intended_is_estimate", l.client_estimate, "");
  v.field("whole", l.whole, "");
  v.field("phases", l.phases, "");
  v.field("gap_lines", l.gap, "where the difference between both ends lies");
  v.field("notes", l.notes, "traps of its format");
  v.field("client_gap", l.client_gap, "null: the client's end was not traced");
}

template <class V>
void describe(V& v, const ClientLineFigures& f) {
  v.field("line", std::string(kClientLineKeys[static_cast<std::size_t>(f.line)]), "");
  v.field("mean_ns", f.mean, "");
  v.field("p50_ns", f.p50, "");
  v.field("p99_ns", f.p99, "");
  v.field("tail_mean_ns", f.tail_mean, "of the slowest 1 % of requests");
}

template <class V>
void describe(V& v, const ClientPart& p) {
  v.field("phase", p.phase, "");
  v.field("first_requests", p.first_requests, "the first request of each connection, kept apart");
  v.field("requests", p.requests, "seen from the client's end");
  v.field("missing", p.missing, "answered ones that were not");
  v.field("client_mean_ns", p.client_mean, "the sum of the lines' means");
  v.field("client_p50_ns", p.client_p50, "");
  v.field("client_p95_ns", p.client_p95, "");
  v.field("client_p99_ns", p.client_p99, "");
  v.field("client_tail_ns", p.client_tail, "mean of the slowest 1 %");
  v.field("server_mean_ns", p.server_mean, "the server's own ledgers");
  v.field("server_p50_ns", p.server_p50, "");
  v.field("server_p95_ns", p.server_p95, "");
  v.field("server_p99_ns", p.server_p99, "");
  v.field("lines", p.lines, "");
  v.field("outside_ns", p.outside(), "of client_mean, outside the server");
  v.field("named_outside_ns", p.named_outside(), "of that, neither idle nor not known");
  v.field("unread_ns", p.unread_mean, "the answer lay in the client's receive queue, mean");
  v.field("unread_runq_ns", p.unread_runq_mean, "of that a thread of the client waited for a CPU");
  v.field("turnarounds", p.turnarounds, "answers with a next request on their connection");
  v.field("turnaround_ns", p.turnaround_mean, "between them, mean");
  v.field("turnaround_runq_ns", p.turnaround_runq, "");
  v.field("turnaround_own_ns", p.turnaround_own, "");
  v.field("turnaround_idle_ns", p.turnaround_idle, "");
}

template <class V>
void describe(V& v, const ClientOccupant& o) {
  v.field("who", o.who, "");
  v.field("share", o.share, "of the time that the client's threads waited for a CPU");
}

template <class V>
void describe(V& v, const ClientView& c) {
  v.field("who", c.who, "");
  v.field("sends_seen", c.sends_seen, "false: the send itself is not in the latencies");
  v.field("parts", c.parts, "by requests, largest first");
  v.field("occupants", c.occupants, "who held the CPU when the client's threads got it");
  v.field("notes", c.notes, "");
}

template <class V>
void describe_header(V& v, const ReportHeader& h, const std::vector<rows::Capability>& probes) {
  v.field("file", h.file, "the recording");
  v.field("version", h.version, "of the srvprof that recorded");
  v.field("command", h.command, "");
  v.field("kernel", h.kernel, "");
  v.field("clock", std::string("CLOCK_MONOTONIC"), "of every absolute time in this document");
  v.field("mode", h.mode, "");
  v.field("start_utc", h.start_utc, "");
  v.object("target", "", [&](auto& t) {
    t.field("pid", h.pid, "");
    t.field("comm", h.comm, "");
    t.field("argv", h.argv, "");
    t.field("runtime", h.runtime, "");
    t.field("ports", h.ports, "");
    t.field("cpus", h.target_cpus, "CPU seconds a second");
    t.field("idle_share", h.target_idle_share, "0..1");
  });
  v.field("cpus", h.cpus, "of the machine");
  v.field("duration_ns", h.duration, "");
  v.field("requests", h.requests, "");
  v.field("connections", h.connections, "");
  v.field("lost", h.lost, "");
  v.field("censored", h.censored, "in flight at the end");
  v.field("aborted", h.aborted, "");
  v.field("streams", h.streams, "");
  v.field("pipelined", h.pipelined, "");
  v.field("left_out_at_attach", h.left_out_at_attach, "in flight at attach");
  std::vector<JsonCount> losses;
  for (const auto& [reason, count] : h.losses) losses.push_back({reason, count});
  v.field("losses", losses, "");
  v.object("governor", "sampling of connections under overload", [&](auto& g) {
    g.field("engaged", h.governor_engaged, "");
    g.field("max_one_in", h.governor_max_one_in, "one in so many connections in full, at worst");
  });
  v.object("own_cost", "", [&](auto& o) {
    o.field("bpf_ns_per_request", h.own_cost_per_request, "0: not measured");
    o.field("collector_cpu_share", h.collector_cpu_share, "of one CPU, 0..1");
    o.field("collector_rss_bytes", h.collector_rss_bytes, "");
    o.field("ring_bytes", h.ring_bytes, "");
  });
  v.field("clean_end", h.clean_end, "");
  v.field("end_reason", h.end_reason, "");
  v.field("probes", probes, "");
}

template <class V>
void describe(V& v, const JsonReport& j) {
  const Report& r = *j.report;
  v.constant("schema", kJsonVersion, "version of this document");
  v.object("header", "", [&](auto& h) { describe_header(h, r.header, j.probes); });
  v.object("verdict", "", [&](auto& o) {
    o.field("text", r.verdict, "the first is the sentence, the others support it");
    std::optional<std::uint32_t> group;
    if (!r.groups.empty()) group = 0;
    o.field("group", group, "index into groups, null if there is none");
  });
  v.field("phases", r.phases, "of the load");
  v.field("groups", r.groups, "requests of one route in one phase; the verdict's first");
  v.field("exemplars", r.exemplars, "");
  v.field("coverage", r.coverage, "what was not measured, lost or costs");
  v.field("machine", r.machine, "processes by CPU use");
  v.field("collections", r.collections, "what the runtime's garbage collector did");
  v.field("loads", r.loads, "the load generators' own results, joined");
  v.field("client", r.client, "requests seen from the load generator's end; null: that was not traced");
}

}  // namespace srvprof
