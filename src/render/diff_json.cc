// Field lists of comparisons and gates; rules as in json_fields.h.
#include "render/diff.h"
#include "render/json_writer.h"
#include "render/states.h"

namespace srvprof {

template <class V>
void describe(V& v, const Change& c) {
  v.field("name", c.name, "");
  v.field("unit", c.unit, "");
  v.field("first", c.a, "");
  v.field("second", c.b, "");
  v.field("tested", c.tested, "");
  v.field("different", c.different, "");
  v.field("p_value", c.p_value, "null: not tested, or below the least effect");
  v.field("note", c.note, "");
}

template <class V>
void describe(V& v, const StateChange& s) {
  v.field("state", std::string(kStateKeys[static_cast<std::size_t>(s.state)]), "");
  v.field("first_ns", s.a, "mean of a slow request");
  v.field("second_ns", s.b, "");
}

template <class V>
void describe(V& v, const CauseChange& c) {
  v.field("cause", c.cause, "");
  v.field("title", c.title, "");
  v.field("first_gap_ns", c.gap_a, "");
  v.field("second_gap_ns", c.gap_b, "");
  v.field("first_share", c.share_a, "");
  v.field("second_share", c.share_b, "");
  v.field("first_culprit", c.culprit_a, "");
  v.field("second_culprit", c.culprit_b, "");
}

template <class V>
void describe(V& v, const RouteChange& r) {
  v.field("route", r.route, "");
  v.field("first_requests", r.requests_a, "");
  v.field("second_requests", r.requests_b, "");
  v.field("latency", r.latency, "");
  v.field("tail", r.tail, "");
  v.field("causes", r.causes, "");
}

template <class V>
void describe(V& v, const PhaseChange& p) {
  v.field("phase", p.phase, "");
  v.field("first_blocks", p.blocks_a, "");
  v.field("second_blocks", p.blocks_b, "");
  v.field("block_ns", p.block, "");
  v.field("figures", p.figures, "");
  v.field("routes", p.routes, "");
}

template <class V>
void describe(V& v, const ProcessChange& p) {
  v.field("comm", p.comm, "");
  v.field("role", p.role, "");
  v.field("first_processes", p.processes_a, "");
  v.field("second_processes", p.processes_b, "");
  v.field("first_cpus", p.cpus_a, "");
  v.field("second_cpus", p.cpus_b, "");
  v.field("first_runq", p.runq_a, "");
  v.field("second_runq", p.runq_b, "");
}

template <class V>
void describe(V& v, const Comparison& c) {
  v.constant("schema", "srvprof.diff/1", "");
  v.field("first", c.file_a, "");
  v.field("second", c.file_b, "");
  v.field("different", c.different, "");
  v.field("verdict", c.verdict, "");
  v.field("phases", c.phases, "");
  v.field("facts", c.facts, "");
  v.field("processes", c.processes, "");
}

template <class V>
void describe(V& v, const LimitResult& r) {
  v.field("limit", r.limit, "");
  v.field("route", r.route, "");
  v.field("phase", r.phase, "");
  v.field("judged", r.judged, "");
  v.field("passed", r.passed, "");
  v.field("value", r.value, "ns, share 0..1 or requests/s");
  v.field("text", r.words, "");
}

struct GateDocument {
  const Gate& gate;
  const std::string& file;
};

template <class V>
void describe(V& v, const GateDocument& d) {
  v.constant("schema", "srvprof.check/1", "");
  v.field("file", d.file, "");
  v.field("passed", d.gate.passed, "");
  v.field("results", d.gate.results, "");
}

std::string comparison_json(const Comparison& comparison) { return json_text(comparison); }

std::string gate_json(const Gate& gate, const std::string& file) {
  return json_text(GateDocument{gate, file});
}

}  // namespace srvprof
