// A small report whose strings are hostile, and a flame graph of the same kind.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "render/format.h"

namespace srvprof::sample {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Every kind of attack in one string: terminal, HTML, attribute, script, CDATA, XML, bidi, no
// UTF-8.
inline const std::string kHostile =
    "\x1b[31m</script><script>alert(1)</script>\"'&]]>\n\r\t\xff\xe2\x80\xae\xef\xbf\xbf,;=";

inline Time at(int ms) { return Time(seconds(1000) + milliseconds(ms)); }

inline void set(Ledger& ledger, LifePhase phase, State state, Duration time) {
  ledger.cell[static_cast<std::size_t>(phase)][static_cast<std::size_t>(state)] = time;
}

inline Finding finding() {
  Finding f;
  f.cause = "runq-own-threads";
  f.title = "run queue, behind this process's own threads";
  f.share = 0.78;
  f.gap = microseconds(31600);
  f.requests = 391;
  f.tail_requests = 410;
  f.stalls = 312;
  f.evidence = {"16 short-lived threads held both CPUs " + kHostile};
  f.ruled_out = {"no quota is set", "no other process above 1 %"};
  f.tries = {"a smaller UV_THREADPOOL_SIZE"};
  f.culprits = {
      {4310, 4311, "argon" + kHostile, "/system.slice/x", "own thread", milliseconds(30), 0.7}};
  f.p99_without = {milliseconds(8), milliseconds(12)};
  return f;
}

inline Group group() {
  Group g;
  g.route = "GET /health";
  g.phase = "steady";
  g.requests = 41022;
  g.tail_requests = 410;
  g.body_requests = 8204;
  g.statuses = {{200, 41020}, {503, 2}};
  g.errors = 2;
  g.percentiles = {{50, microseconds(900), microseconds(880), microseconds(910), true},
                   {90, microseconds(3100), microseconds(3000), microseconds(3200), true},
                   {95, milliseconds(9), milliseconds(8), milliseconds(10), true},
                   {99, microseconds(41300), microseconds(39800), milliseconds(43), true},
                   {99.9, milliseconds(88), milliseconds(80), milliseconds(99), false}};
  g.max = microseconds(120400);
  g.mean = milliseconds(2);
  set(g.body, LifePhase::kService, State::kCpu, microseconds(300));
  set(g.body, LifePhase::kReady, State::kBehind, microseconds(600));
  set(g.tail, LifePhase::kService, State::kCpu, microseconds(300));
  set(g.tail, LifePhase::kReady, State::kBehind, microseconds(4200));
  set(g.tail, LifePhase::kService, State::kRunqWake, microseconds(31600));
  set(g.tail, LifePhase::kWrite, State::kUnexplained, microseconds(500));
  g.tail.unnamed = microseconds(700);
  g.gap = microseconds(35700);
  g.unexplained_share = 0.019;
  g.explained = true;
  g.findings = {finding()};
  return g;
}

inline Report report() {
  Report r;
  r.header.file = "run.srvprof";
  r.header.version = "0.1.0";
  r.header.command = "srvprof attach -p 4242";
  r.header.kernel = "6.1.0";
  r.header.mode = "default";
  r.header.pid = 4242;
  r.header.comm = "node";
  r.header.argv = "node auth.js";
  r.header.ports = {21020};
  r.header.cpus = 2;
  r.header.duration = seconds(30);
  r.header.requests = 123870;
  r.header.own_cost_per_request = Duration(1400);
  r.header.losses = {{"ring full " + kHostile, 0}};
  r.header.clean_end = true;
  r.header.end_reason = "duration";
  r.phases = {{"warm-up", at(0), at(6000), "the rate rose", 100},
              {"steady", at(6000), at(28000), "the rate is level", 41022}};
  r.verdict = {"GET /health is slow in its tail: p99 41.3 ms [39.8 .. 43.0], p50 0.9 ms",
               "seen in 22 s " + kHostile};
  Group hostile = group();
  hostile.route = "GET /" + kHostile;
  hostile.requests = 7;
  hostile.tail_requests = 0;
  hostile.explained = false;
  hostile.not_explained_why = "too few requests";
  hostile.findings.clear();
  r.groups = {group(), hostile};
  Exemplar e;
  e.id = 17;
  e.route = "GET /health";
  e.path = "/health" + kHostile;
  e.phase = "steady";
  e.status = 200;
  e.t_arrive = at(7001);
  e.latency = milliseconds(42);
  set(e.ledger, LifePhase::kReady, State::kBehind, milliseconds(2));
  set(e.ledger, LifePhase::kService, State::kRunqWake, milliseconds(40));
  e.tiles = {
      {{}, milliseconds(2), LifePhase::kReady, State::kBehind, "POST /login", "argon2" + kHostile},
      {milliseconds(2), milliseconds(40), LifePhase::kService, State::kRunqWake, "hash (tid 9)",
       ""}};
  r.exemplars = {e};
  r.coverage = {{CoverageLine::Level::kNotMeasured, "irq", "was not asked for"},
                {CoverageLine::Level::kLoss, "ring", "3 records " + kHostile},
                {CoverageLine::Level::kCost, "", "1.4 us a request"}};
  r.machine = {{4242, "node" + kHostile, 0.98, 0.4, true, false},
               {4310, "wrk", 0.2, 0, false, true}};
  return r;
}

inline FlameData flame() {
  FlameData f;
  f.title = "on CPU " + kHostile;
  f.subtitle = "node";
  f.unit = "samples";
  f.labels = {"main", "hash" + kHostile, "light;frame", "tiny"};
  f.stacks = {{{0, 1}, 60, 10}, {{0, 2}, 39.5, 40}, {{0}, 10, 10}, {{0, 3}, 0.001, 0}};
  return f;
}

}  // namespace srvprof::sample
