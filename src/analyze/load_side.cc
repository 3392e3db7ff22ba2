#include "analyze/load_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analyze/client_means.h"
#include "analyze/intended.h"
#include "analyze/load_align.h"
#include "analyze/load_words.h"
#include "analyze/loop_kind.h"
#include "analyze/percentiles.h"
#include "analyze/phases.h"
#include "analyze/words.h"
#include "loadgen/loadgen.h"

namespace srvprof {
namespace {

// What is captured of a load command's output: longer ones have lost their beginning.
constexpr std::size_t kCapturedWhole = std::size_t{10} << 20;

struct Joined {
  const Trace& trace;
  const ClientRun& run;
  const LoadSet& set;
  LoopKind loop;
};

std::string kind_words(LatencyKind kind) {
  switch (kind) {
    case LatencyKind::kAsSent: return "as sent";
    case LatencyKind::kAsIntended: return "as intended";
    case LatencyKind::kCorrected: return "corrected by the tool";
  }
  return {};
}

std::optional<Duration> printed(const LatencySummary& summary, double p) {
  for (const ClientPercentile& c : summary.percentiles) {
    if (std::abs(c.percent - p) < 1e-6) return c.latency.value;
  }
  return std::nullopt;
}

std::optional<Duration> at_percentile(std::vector<Duration>& sorted, double p) {
  if (sorted.empty()) return std::nullopt;
  return sorted[rank_of(p, sorted.size())];
}

std::vector<Duration> server_latencies(const Joined& j, Time from, Time to) {
  std::vector<Duration> out;
  for (const RequestId id : j.set.requests) {
    const Request& r = j.trace.request(id);
    // Those in flight at the end are not in the generator's figures either.
    if (r.stream || r.censored || r.aborted || r.t_arrive < from || r.t_arrive >= to) continue;
    out.push_back(r.latency());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The same requests at the client's end. Connecting is part of them only as far as it is of the tool's own.
std::vector<Duration> seen_latencies(const Joined& j, Time from, Time to) {
  std::vector<Duration> out;
  if (j.trace.client.exchanges.empty()) return out;
  const bool connecting = j.run.latency_has_connect.value_or(true);
  for (const RequestId id : j.set.requests) {
    const Request& r = j.trace.request(id);
    if (r.stream || r.censored || r.aborted || r.t_arrive < from || r.t_arrive >= to) continue;
    const auto ledger = client_ledger(j.trace, id);
    if (!ledger) continue;
    out.push_back(sum_of_lines(*ledger) - (connecting ? Duration{} : ledger->of(ClientLine::kConnect)));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::optional<Duration> mean_of(const std::vector<Duration>& latencies) {
  if (latencies.empty()) return std::nullopt;
  Duration sum{};
  for (const Duration d : latencies) sum += d;
  return sum / static_cast<std::int64_t>(latencies.size());
}

// The samples that began in [from, to); all of them if they have no place on the recording's clock.
std::vector<const ClientSample*> samples_in(const Joined& j, Time from, Time to, bool all) {
  std::vector<const ClientSample*> out;
  for (const ClientSample& s : j.run.samples) {
    if (s.failed || s.latency < Duration{}) continue;
    if (!all && (!j.set.zero || *j.set.zero + s.start < from || *j.set.zero + s.start >= to)) {
      continue;
    }
    out.push_back(&s);
  }
  return out;
}

struct ClientFigures {
  std::vector<Duration> as_sent, as_intended;  // sorted
  std::optional<LatencyWeights> estimate;      // of as_intended, where it was not measured
};

ClientFigures client_figures(const Joined& j, const std::vector<const ClientSample*>& samples) {
  ClientFigures out;
  for (const ClientSample* s : samples) {
    out.as_sent.push_back(s->latency);
    if (s->due >= Duration{}) out.as_intended.push_back(s->start + s->latency - s->due);
  }
  std::sort(out.as_sent.begin(), out.as_sent.end());
  std::sort(out.as_intended.begin(), out.as_intended.end());
  if (out.as_intended.empty() && j.loop == LoopKind::kClosed &&
      j.run.kind == LatencyKind::kAsSent && !samples.empty()) {
    out.estimate = intended_at_client(samples, j.run.connections.value_or(j.set.connections));
  }
  return out;
}

LoadPart part_of(const Joined& j, Time from, Time to, bool whole) {
  LoadPart part;
  const auto samples = samples_in(j, from, to, whole);
  ClientFigures client = client_figures(j, samples);
  std::vector<Duration> server = server_latencies(j, from, to), seen = seen_latencies(j, from, to);
  std::optional<LatencyWeights> intended;
  if (j.loop == LoopKind::kClosed) intended = intended_at_server(j.trace, j.set, from, to);
  part.client_requests = samples.size();
  part.server_requests = server.size();
  part.seen_requests = seen.size();
  part.client_mean = mean_of(client.as_sent);
  if (whole && samples.empty() && j.run.latency.mean) part.client_mean = j.run.latency.mean->value;
  part.seen_mean = mean_of(seen);
  part.server_mean = mean_of(server);
  for (const double p : kPercentiles) {
    BothEnds b;
    b.p = p;
    b.client =
        whole && samples.empty() ? printed(j.run.latency, p) : at_percentile(client.as_sent, p);
    // A tool that tells both: wrk2 --u_latency.
    if (whole && j.run.as_sent && j.run.kind == LatencyKind::kAsIntended) {
      b.client_intended = b.client;
      b.client = printed(*j.run.as_sent, p);
    }
    if (!client.as_intended.empty()) b.client_intended = at_percentile(client.as_intended, p);
    if (client.estimate) b.client_intended = client.estimate->percentile(p);
    b.seen = at_percentile(seen, p);
    b.server = at_percentile(server, p);
    if (intended) b.server_intended = intended->percentile(p);
    b.enough = enough_for(p, server.size());
    if (b.client || b.server) part.percentiles.push_back(b);
  }
  return part;
}

void add_phases(const Joined& j, const std::vector<LoadPhase>& phases, LoadView& view) {
  for (const LoadPhase& phase : phases) {
    if (phase.end <= view.begin || phase.begin >= view.end) continue;
    LoadPart part = part_of(j, phase.begin, phase.end, false);
    part.phase = phase.name;
    if (part.server_requests + part.client_requests > 0) view.phases.push_back(std::move(part));
  }
  if (view.phases.size() == 1) view.phases.clear();
}

LoadView view_of(const Trace& trace, const Facts& facts, const std::vector<LoadPhase>& phases,
                 const ClientRun& run, const rows::Load* load) {
  LoadView view;
  const LoadSet set = align_load(trace, run, load);
  view.tool = run.tool;
  view.format = run.format;
  view.target = run.target;
  view.pid = load != nullptr ? load->pid : set.peers.size() == 1 ? set.peers.front() : 0;
  view.begin = set.begin;
  view.end = set.end;
  view.aligned = set.aligned;
  view.connections = set.connections;
  view.client_kind = kind_words(run.kind);
  view.notes = run.notes;
  view.resolution = run.latency_resolution;
  if (view.resolution == Duration{} && !run.latency.percentiles.empty()) {
    view.resolution = run.latency.percentiles.back().latency.resolution;
  }
  count_both_ends(trace, run, set, view);
  const LoopFacts loop = loop_of(trace, set, run);
  view.loop = loop.kind;
  view.loop_why = loop.why;
  view.turnaround_p50 = loop.turnaround_p50;
  view.turnaround_p99 = loop.turnaround_p99;
  view.turnaround_mean = loop.turnaround_mean;
  const Joined joined{trace, run, set, loop.kind};
  view.whole = part_of(joined, set.begin, set.end, true);
  view.client_estimate = run.kind == LatencyKind::kAsSent &&
                         std::none_of(run.samples.begin(), run.samples.end(),
                                      [](const ClientSample& s) { return s.due >= Duration{}; });
  add_phases(joined, phases, view);
  tell_gap(trace, facts, run, set, view);
  return view;
}

std::string command_of(const std::string& argv) {
  const std::string first = argv.substr(0, argv.find(' '));
  return first.substr(first.rfind('/') == std::string::npos ? 0 : first.rfind('/') + 1);
}

// How a command ended, where that is worth a word.
std::string ending_of(const Trace& trace, const rows::Load& load) {
  const auto told = trace.meta.find("load.end");
  std::string out = told == trace.meta.end() ? std::string() : told->second;
  if (load.exit_status == 0 || !out.empty()) return out;
  return load.exit_status > 128 ? fmt::format("it was ended by signal {}", load.exit_status - 128)
                                : fmt::format("it ended with exit status {}", load.exit_status);
}

LoadView captured_view(const Trace& trace, const Facts& facts, const std::vector<LoadPhase>& phases,
                       const rows::Load& load) {
  const std::string source =
      fmt::format("{} (pid {}), started by srvprof", command_of(load.argv), load.pid);
  LoadView view;
  const Result<ClientRun> run = import_run(load.output, load.argv);
  if (run.ok()) {
    view = view_of(trace, facts, phases, *run, &load);
  } else if (load.output.size() >= kCapturedWhole) {
    view.problem =
        "its output was too long to keep the beginning: let it write a file, then "
        "report --load FILE";
  } else {
    view.problem = run.error().what;
  }
  view.source = source;
  view.pid = load.pid;
  view.ended = ending_of(trace, load);
  return view;
}

}  // namespace

std::vector<LoadView> load_views(const Trace& trace, const Facts& facts,
                                 const std::vector<LoadPhase>& phases,
                                 const ReportOptions& options) {
  std::vector<LoadView> out;
  for (const rows::Load& load : trace.loads) {
    out.push_back(captured_view(trace, facts, phases, load));
  }
  if (options.loads == nullptr) return out;
  for (const LoadInput& input : *options.loads) {
    // The command that srvprof started may have written this file: then its life is known.
    const rows::Load* load = nullptr;
    for (const rows::Load& l : trace.loads) {
      if (l.argv.find(input.name) != std::string::npos) load = &l;
    }
    LoadView view = view_of(trace, facts, phases, input.run, load);
    view.source = "file " + input.name;
    if (load != nullptr) {
      view.ended = ending_of(trace, *load);
      std::erase_if(out,
                    [&](const LoadView& v) { return v.pid == load->pid && !v.problem.empty(); });
    }
    out.push_back(std::move(view));
  }
  return out;
}

}  // namespace srvprof
