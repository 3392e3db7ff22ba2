#include "probe_costs.h"

#include <algorithm>
#include <chrono>
#include <map>

#include <fmt/format.h>

#include "tracer.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

// Fewer runs than this do not make a mean (or a floor).
constexpr std::uint64_t kEnoughRuns = 50;
// Below this a program is not worth a column: it is named under the table.
constexpr double kRareRunsARequest = 0.001;

using Times = std::map<std::string, std::pair<std::uint64_t, std::uint64_t>>;  // run ns, runs

Times times_of(const TracerCounters& t) {
  Times times;
  for (std::uint32_t i = 0; i < t.programs; ++i) {
    times[t.program[i].name.data()] = {t.program[i].run_ns, t.program[i].runs};
  }
  return times;
}

// Runs between begin and end of statistics; answered requests meanwhile in `answered`.
Result<Times> count(Tracer& tracer, Shared& shared, Duration length, std::uint64_t& answered) {
  TRY(tracer.update());
  const Times before = times_of(shared.tracer);
  const std::uint64_t answered_before = shared.load.answered.load();
  TRY(tracer.begin_statistics());
  sleep_for(length);
  answered = shared.load.answered.load() - answered_before;
  TRY(tracer.end_statistics());
  TRY(tracer.update());
  Times delta = times_of(shared.tracer);
  for (auto& [name, time] : delta) {
    if (const auto it = before.find(name); it != before.end()) {
      time.first -= it->second.first;
      time.second -= it->second.second;
    }
  }
  return delta;
}

// Of a run that ends at the gate: nothing but the two clock reads of the statistics.
double floor_of(const Times& closed, const std::string& name) {
  const auto it = closed.find(name);
  if (it != closed.end() && it->second.second >= kEnoughRuns) {
    return static_cast<double>(it->second.first) / static_cast<double>(it->second.second);
  }
  std::uint64_t ns = 0, runs = 0;
  for (const auto& [other, time] : closed) {
    ns += time.first;
    runs += time.second;
  }
  return runs == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(runs);
}

ProbeTable make_table(const Times& closed, const Times& open, std::uint64_t answered) {
  ProbeTable table;
  table.answered = answered;
  for (const auto& [name, time] : open) {
    if (time.second == 0) continue;
    ProbeCost c;
    c.program = name;
    c.runs = time.second;
    c.floor_ns = floor_of(closed, name);
    c.ns = std::max(0.0, static_cast<double>(time.first) / static_cast<double>(c.runs) - c.floor_ns);
    c.runs_a_request = static_cast<double>(c.runs) / static_cast<double>(std::max<std::uint64_t>(answered, 1));
    table.costs.push_back(c);
  }
  return table;
}

const ProbeCost* find(const ProbeTable& table, const std::string& program) {
  for (const ProbeCost& c : table.costs) {
    if (c.program == program) return &c;
  }
  return nullptr;
}

std::string row(const std::string& program, const std::vector<ProbeTable>& tables) {
  std::string line = fmt::format("| `{}` |", program);
  for (const ProbeTable& t : tables) {
    const ProbeCost* c = find(t, program);
    if (c == nullptr) {
      line += " - | - | - |";
    } else {
      line += fmt::format(" {:.3f} | {:.0f} | {:.0f} |", c->runs_a_request, c->ns, c->ns_a_request());
    }
  }
  return line + "\n";
}

}  // namespace

double ProbeTable::total_ns_a_request() const {
  double sum = 0;
  for (const ProbeCost& c : costs) sum += c.ns_a_request();
  return sum;
}

Result<ProbeTable> measure_probes(const BenchOptions& options, const std::string& name,
                                  const Server& server, bool open_loop, bool full, Shared& shared,
                                  std::vector<std::string>& notes) {
  new (&shared.tracer) TracerCounters{};
  Tracer tracer = TRY(Tracer::start({server.pid(), full, options.directory, options.load_cpu},
                                    shared, notes));
  const LoadOptions load_options{server.port(), options.path, options.connections};
  LoadProcess load = TRY(LoadProcess::start(load_options, options.load_cpu, shared.load, notes));
  sleep_for(1s);
  if (open_loop) shared.load.rate.store(measure_rate(shared.load, 1s) / 2);
  TRY(tracer.attach_closed());
  sleep_for(options.settle);
  std::uint64_t answered = 0;
  const Times closed = TRY(count(tracer, shared, 1s, answered));
  TRY(tracer.open_gate());
  sleep_for(options.settle);
  const Duration length = options.pairs * Duration(250ms);
  const Times open = TRY(count(tracer, shared, length, answered));
  TRY(tracer.off());
  TRY(load.check());
  ProbeTable table = make_table(closed, open, answered);
  table.server = name;
  table.open_loop = open_loop;
  table.full = full;
  table.rate = static_cast<double>(answered) / to_seconds(length);
  return table;
}

std::string probe_markdown(const std::vector<ProbeTable>& tables) {
  std::string text = "| program |", rule = "|---|";
  for (const ProbeTable& t : tables) {
    text += fmt::format(" {}{}: runs/request | ns/run | ns/request |", t.server,
                        t.open_loop ? " open loop" : "");
    rule += "---:|---:|---:|";
  }
  text += "\n" + rule + "\n";
  std::map<std::string, double> most;  // program -> most runs a request
  for (const ProbeTable& t : tables) {
    for (const ProbeCost& c : t.costs) most[c.program] = std::max(most[c.program], c.runs_a_request);
  }
  std::string rare;
  for (const auto& [program, runs] : most) {
    if (runs >= kRareRunsARequest) {
      text += row(program, tables);
      continue;
    }
    for (const ProbeTable& t : tables) {
      const ProbeCost* c = find(t, program);
      if (c == nullptr || c->runs == 0) continue;
      rare += fmt::format("{}`{}` {:.0f} ns", rare.empty() ? "" : ", ", program, c->ns);
      break;
    }
  }
  text += "| **all** |";
  for (const ProbeTable& t : tables) text += fmt::format(" | | **{:.0f}** |", t.total_ns_a_request());
  text += "\n";
  if (!rare.empty()) text += "\nFewer than 1 run in 1,000 requests: " + rare + ".\n";
  for (const ProbeTable& t : tables) {
    double floor = 0, runs = 0;
    for (const ProbeCost& c : t.costs) {
      floor += c.floor_ns * static_cast<double>(c.runs);
      runs += static_cast<double>(c.runs);
    }
    text += fmt::format("\n{}{}: {:.0f} requests/s meanwhile; a run with the gate closed shows {:.0f} ns "
                        "(subtracted).\n",
                        t.server, t.open_loop ? " open loop" : "", t.rate, runs > 0 ? floor / runs : 0);
  }
  return text;
}

}  // namespace srvprof
