// A cause of the whole run, no tile's: the target idles while the load generator is at its limit:
// it cannot get a CPU, or its thread has one all the time.
#include "analyze/causes/client_side.h"

#include <fmt/format.h>

#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr double kIdle = 0.5;           // of the loaded time, beside a generator that starves
constexpr double kIdleSaturated = 0.3;  // beside one whose thread never stops
constexpr double kQueued = 0.5;  // seconds a second that the generator's threads waited for a CPU
// A process that uses that much of one CPU in most seconds has one thread that does all.
constexpr double kOneThread = 0.93, kOneThreadMost = 1.02;

// A generator's process that used all of one CPU, and no more, in most seconds of the load; null if
// there is none.
const MachineProcess* saturated(const Trace& trace, const Facts& facts) {
  for (const MachineProcess& p : facts.machine) {
    if (!p.load_generator || p.pid == 0) continue;
    std::size_t full = 0, rows = 0;
    for (const rows::CpuUse& row : trace.cpu_use) {
      if (row.pid != p.pid || row.interval_ns == 0) continue;
      const double cpus = static_cast<double>(row.cpu_ns) / static_cast<double>(row.interval_ns);
      if (cpus < 0.05) continue;  // before or after its load
      ++rows;
      full += cpus >= kOneThread && cpus <= kOneThreadMost;
    }
    if (rows >= 3 && full * 3 >= rows * 2) return &p;
  }
  return nullptr;
}

void add_figures(const Facts& facts, Duration server_p99, Finding& f) {
  f.evidence.push_back(fmt::format("no thread of the target ran or wanted a CPU for {} of the time",
                                   percent_words(facts.target_idle_share)));
  f.evidence.push_back(fmt::format("its own p99 is {}", ms_words(server_p99)));
  f.evidence.push_back(
      fmt::format("the load generator used {:.2f} CPUs and its threads waited {:.2f} s "
                  "a second for one",
                  facts.generator_cpus, facts.generator_runq));
  if (facts.cpus) {
    f.evidence.push_back(
        fmt::format("{:.2f} of the machine's {} CPUs were in use", facts.total_cpus, facts.cpus));
  }
}

}  // namespace

std::optional<Finding> client_side_finding(const Trace& trace, const Facts& facts,
                                           Duration server_p99) {
  if (!facts.idle_known) return std::nullopt;
  // A generator with many threads always queues a little; one that starves waits longer than it
  // runs.
  const bool starved = facts.target_idle_share >= kIdle && facts.generator_runq >= kQueued &&
                       facts.generator_runq >= facts.generator_cpus;
  const MachineProcess* full =
      !starved && facts.target_idle_share >= kIdleSaturated ? saturated(trace, facts) : nullptr;
  if (!starved && full == nullptr) return std::nullopt;
  Finding f;
  f.cause = kClientSideCause.id;
  f.title = starved ? "the load generator, not the server: it hardly got a CPU"
                    : "the load generator, not the server: its thread is at its limit";
  f.share = facts.target_idle_share;
  add_figures(facts, server_p99, f);
  if (full != nullptr) {
    f.evidence.push_back(
        fmt::format("{} (pid {}) used all of one CPU: more load needs more of its "
                    "threads or processes",
                    full->comm, full->pid));
  }
  for (const MachineProcess& p : facts.machine) {
    if (p.target || p.pid == 0 || p.cpus < 0.05 || f.culprits.size() >= 5) continue;
    Culprit c;
    c.pid = p.pid;
    c.comm = p.comm;
    c.what = p.load_generator ? "load generator" : "other process";
    if (const Process* process = find_process(trace, p.pid)) c.cgroup = process->cgroup;
    f.culprits.push_back(std::move(c));
  }
  f.ruled_out.push_back(fmt::format("the target used {:.2f} CPUs", facts.target_cpus));
  f.tries.push_back(starved
                        ? "give the load generator CPUs of its own, or run it on another machine"
                        : "more threads or processes of the load generator, or a faster one");
  return f;
}

const Cause kClientSideCause{.id = "client-side",
                             .title = "the load generator, not the server",
                             .doc = "the target idled while the load generator was at its limit"};

}  // namespace srvprof
