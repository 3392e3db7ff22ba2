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
// Below this a program is not worth a row: it is named under the table.
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

// "0.11 x 2675 = **293**": runs a request, ns a run, ns a request.
std::string cell(const ProbeTable& table, const std::string& program) {
  const ProbeCost* c = find(table, program);
  if (c == nullptr) return " - |";
  return fmt::format(" {:.2f} x {:.0f} = **{:.0f}** |", c->runs_a_request, c->ns, c->ns_a_request());
}

// Programs by what they cost most anywhere; the rare ones are left out.
std::vector<std::string> worth_a_row(const std::vector<ProbeTable>& tables) {
  std::map<std::string, double> most, runs;
  for (const ProbeTable& t : tables) {
    for (const ProbeCost& c : t.costs) {
      most[c.program] = std::max(most[c.program], c.ns_a_request());
      runs[c.program] = std::max(runs[c.program], c.runs_a_request);
    }
  }
  std::vector<std::string> programs;
  for (const auto& [program, n] : runs) {
    if (n >= kRareRunsARequest) programs.push_back(program);
  }
  std::sort(programs.begin(), programs.end(),
            [&](const std::string& a, const std::string& b) { return most[a] > most[b]; });
  return programs;
}

// The programs that have no row, each as it was in the first table in which it ran.
std::string rare_text(const std::vector<ProbeTable>& tables, const std::vector<std::string>& rows) {
  std::map<std::string, double> rare;
  for (const ProbeTable& t : tables) {
    for (const ProbeCost& c : t.costs) {
      if (std::find(rows.begin(), rows.end(), c.program) == rows.end()) rare.emplace(c.program, c.ns);
    }
  }
  std::string text;
  for (const auto& [program, ns] : rare) {
    text += fmt::format("{}`{}` {:.0f} ns", text.empty() ? "" : ", ", program, ns);
  }
  return text.empty() ? text : "\nFewer than 1 run in 1,000 requests: " + text + ".\n";
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
  const TracerOptions traced{server.pid(), full, options.capture, options.directory, options.load_cpu};
  Tracer tracer = TRY(Tracer::start(traced, shared, notes));
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
  std::string text = "| program |", rule = "|---|", total = "| all |", loads = "\n";
  for (const ProbeTable& t : tables) {
    const std::string name = t.server + (t.open_loop ? ", half load" : ", saturated");
    text += fmt::format(" {} |", name);
    rule += "---:|";
    total += fmt::format(" **{:.0f}** |", t.total_ns_a_request());
    loads += fmt::format("{}: {:.0f} requests/s meanwhile.\n", name, t.rate);
  }
  text += "\n" + rule + "\n";
  const std::vector<std::string> rows = worth_a_row(tables);
  for (const std::string& program : rows) {
    text += fmt::format("| `{}` |", program);
    for (const ProbeTable& t : tables) text += cell(t, program);
    text += "\n";
  }
  return text + total + "\n" + rare_text(tables, rows) + loads;
}

}  // namespace srvprof
