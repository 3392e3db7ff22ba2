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

constexpr Duration kSlice = 50ms;

struct Slice {
  std::uint64_t run_ns = 0, runs = 0;
  double mean() const { return static_cast<double>(run_ns) / static_cast<double>(runs); }
};
using Times = std::map<std::string, Slice>;  // totals by program

Times times_of(const TracerCounters& t) {
  Times times;
  for (std::uint32_t i = 0; i < t.programs; ++i) {
    times[t.program[i].name.data()] = {t.program[i].run_ns, t.program[i].runs};
  }
  return times;
}

// Program -> what it did in each slice.
using Slices = std::map<std::string, std::vector<Slice>>;

// Counts for `length` with statistics on; answered requests meanwhile in `answered`.
Result<Slices> count(Tracer& tracer, Shared& shared, Duration length, std::uint64_t& answered) {
  TRY(tracer.begin_statistics());
  TRY(tracer.update());
  Times before = times_of(shared.tracer);
  const std::uint64_t answered_before = shared.tracer.answered.load();
  Slices slices;
  for (Duration done{}; done < length; done += kSlice) {
    sleep_for(kSlice);
    TRY(tracer.update());
    const Times now = times_of(shared.tracer);
    for (const auto& [name, total] : now) {
      const Slice slice{total.run_ns - before[name].run_ns, total.runs - before[name].runs};
      if (slice.runs != 0) slices[name].push_back(slice);
    }
    before = now;
  }
  answered = shared.tracer.answered.load() - answered_before;
  TRY(tracer.end_statistics());
  return slices;
}

std::uint64_t runs_of(const std::vector<Slice>& slices) {
  std::uint64_t runs = 0;
  for (const Slice& s : slices) runs += s.runs;
  return runs;
}

// The mean of a run in that slice below which `share` of the runs lie.
double quantile(std::vector<Slice> slices, double share) {
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.mean() < b.mean(); });
  const double wanted = share * static_cast<double>(runs_of(slices));
  double seen = 0;
  for (const Slice& s : slices) {
    seen += static_cast<double>(s.runs);
    if (seen >= wanted) return s.mean();
  }
  return 0;
}

// Of a run that ends at the gate: nothing but the two clock reads of the statistics.
double floor_of(const Slices& closed, const std::string& name, double share) {
  const auto it = closed.find(name);
  if (it != closed.end() && runs_of(it->second) >= kEnoughRuns) return quantile(it->second, share);
  std::vector<Slice> all;
  for (const auto& [other, slices] : closed) all.insert(all.end(), slices.begin(), slices.end());
  return quantile(std::move(all), share);
}

ProbeTable make_table(const Slices& closed, const Slices& open, std::uint64_t answered) {
  ProbeTable table;
  table.answered = answered;
  for (const auto& [name, slices] : open) {
    ProbeCost c;
    c.program = name;
    c.runs = runs_of(slices);
    c.floor_ns = floor_of(closed, name, 0.5);
    c.ns = std::max(0.0, quantile(slices, 0.5) - c.floor_ns);
    c.ns_low = std::max(0.0, quantile(slices, 0.1) - floor_of(closed, name, 0.1));
    c.runs_a_request =
        static_cast<double>(c.runs) / static_cast<double>(std::max<std::uint64_t>(answered, 1));
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
  const Slices closed = TRY(count(tracer, shared, 1s, answered));
  TRY(tracer.open_gate());
  sleep_for(options.settle);
  const Duration length = options.pairs * Duration(250ms);
  const Slices open = TRY(count(tracer, shared, length, answered));
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
