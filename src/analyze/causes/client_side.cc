// A cause of the whole run, no tile's: the target idles while the load generator cannot get a CPU.
#include "analyze/causes/client_side.h"

#include <fmt/format.h>

#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr double kIdle = 0.5;    // of the loaded time
constexpr double kQueued = 0.5;  // seconds a second that the generator's threads waited for a CPU

}  // namespace

std::optional<Finding> client_side_finding(const Trace& trace, const Facts& facts,
                                           Duration server_p99) {
  if (!facts.idle_known || facts.target_idle_share < kIdle) return std::nullopt;
  // A generator with many threads always queues a little; one that starves waits longer than it
  // runs.
  if (facts.generator_runq < kQueued || facts.generator_runq < facts.generator_cpus) {
    return std::nullopt;
  }
  Finding f;
  f.cause = kClientSideCause.id;
  f.title = "the target was idle: look at the client";
  f.share = facts.target_idle_share;
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
  f.tries.push_back("give the load generator CPUs of its own, or run it on another machine");
  return f;
}

const Cause kClientSideCause{.id = "client-side",
                             .title = "the target was idle: look at the client",
                             .doc = "the target idled while the load generator could not run"};

}  // namespace srvprof
