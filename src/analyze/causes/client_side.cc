// A cause of the whole run, no tile's: the load generator's threads wait for CPUs while its answers
// lie there, or the target idles while the load generator is at its limit: it cannot get a CPU, or
// its thread has one all the time.
#include "analyze/causes/client_side.h"

#include <fmt/format.h>

#include <chrono>

#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr double kIdle = 0.5;           // of the loaded time, beside a generator that starves
constexpr double kIdleSaturated = 0.3;  // beside one whose thread never stops
constexpr double kQueued = 0.5;  // seconds a second that the generator's threads waited for a CPU
// A process that uses that much of one CPU in most seconds has one thread that does all.
constexpr double kOneThread = 0.93, kOneThreadMost = 1.02;
constexpr double kOutside = 0.5;  // of the client's latency that is not the server's
constexpr double kWaited = 0.25;  // of that, its threads waited for a CPU
constexpr Duration kLeastWait = std::chrono::microseconds(300);
constexpr std::uint64_t kFewestRequests = 100;

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

void add_culprits(const Trace& trace, const Facts& facts, Finding& f) {
  for (const MachineProcess& p : facts.machine) {
    if (p.target || p.pid == 0 || p.cpus < 0.05 || f.culprits.size() >= 5) continue;
    Culprit c;
    c.pid = p.pid;
    c.comm = p.comm;
    c.what = p.load_generator ? "load generator" : "other process";
    if (const Process* process = find_process(trace, p.pid)) c.cgroup = process->cgroup;
    f.culprits.push_back(std::move(c));
  }
}

std::string occupants_words(const ClientView& view) {
  std::string out;
  for (const ClientOccupant& o : view.occupants) {
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", o.who, percent_words(o.share));
  }
  return out;
}

// The largest part of the load whose requests waited outside the server for the client's own
// threads to get a CPU; null if there is none.
const ClientPart* waiting_part(const ClientView& view) {
  for (const ClientPart& part : view.parts) {
    if (part.first_requests || part.requests < kFewestRequests) continue;
    const Duration outside = part.outside(), runq = part.mean_of(ClientLine::kRunq);
    const bool waits = to_ms(outside) >= kOutside * to_ms(part.client_mean) &&
                       to_ms(runq) >= kWaited * to_ms(outside) && runq >= kLeastWait;
    return waits ? &part : nullptr;
  }
  return nullptr;
}

Finding waiting_finding(const Trace& trace, const Facts& facts, const ClientView& view,
                        const ClientPart& part) {
  const Duration runq = part.mean_of(ClientLine::kRunq), outside = part.outside();
  Finding f;
  f.cause = kClientSideCause.id;
  f.title = "the load generator, not the server: its threads waited for a CPU";
  f.share = to_ms(runq) / to_ms(outside);
  f.gap = runq;
  f.share_is_of_client = true;
  f.requests = part.requests;
  f.tail_requests = part.requests;
  f.evidence.push_back(
      fmt::format("of the {} that a request took (mean), {} lay outside the server, and for {} of "
                  "these ({}) threads of {} "
                  "waited for a CPU, mostly with the answer in the receive queue",
                  ms_words(part.client_mean), ms_words(outside), ms_words(runq),
                  percent_words(f.share), view.who));
  f.evidence.push_back(fmt::format("its own code ran for {} of it; {} are named",
                                   ms_words(part.mean_of(ClientLine::kOwn)),
                                   percent_words(to_ms(part.named_outside()) / to_ms(outside))));
  f.evidence.push_back(fmt::format("the client's p99 is {}, the server's own {}",
                                   ms_words(part.client_p99), ms_words(part.server_p99)));
  if (const std::string who = occupants_words(view); !who.empty()) {
    f.evidence.push_back("meanwhile its CPU was held by: " + who);
  }
  f.evidence.push_back(
      fmt::format("the load generator used {:.2f} CPUs and its threads waited {:.2f} s a second "
                  "for one, the target used "
                  "{:.2f}",
                  facts.generator_cpus, facts.generator_runq, facts.target_cpus));
  add_culprits(trace, facts, f);
  f.ruled_out.push_back(
      fmt::format("the server took {} of a request's time (mean)", ms_words(part.server_mean)));
  f.tries.push_back(
      "give the load generator CPUs of its own (taskset), or run it on another machine");
  return f;
}

}  // namespace

std::optional<Finding> client_side_finding(const Trace& trace, const Facts& facts,
                                           const ClientView* view, Duration server_p99) {
  if (const ClientPart* part = view != nullptr ? waiting_part(*view) : nullptr) {
    return waiting_finding(trace, facts, *view, *part);
  }
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
  add_culprits(trace, facts, f);
  f.ruled_out.push_back(fmt::format("the target used {:.2f} CPUs", facts.target_cpus));
  f.tries.push_back(starved
                        ? "give the load generator CPUs of its own, or run it on another machine"
                        : "more threads or processes of the load generator, or a faster one");
  return f;
}

const Cause kClientSideCause{
    .id = "client-side",
    .title = "the load generator, not the server",
    .doc = "the load generator waited for CPUs or was at its limit, not the server"};

}  // namespace srvprof
