// Where the difference between the client's latencies and the server's lies.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/client_means.h"
#include "analyze/load_words.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr double kSame = 0.05;    // of the client's figure: less is no difference
constexpr double kQueued = 0.05;  // seconds a second: less run queue is not worth a word
// A closed connection's port rests (TCP_TIMEWAIT_LEN); net.ipv4.ip_local_port_range's default.
constexpr int kTimeWait = 60;
constexpr unsigned kEphemeral = 28'232;
constexpr double kFewPorts = 0.5;  // of them in use: worth a word
constexpr double kChurn = 1.5;     // requests a connection: below it each pays for a connect

// The generator's processes together, over the recording.
struct GeneratorCpu {
  double cpus = 0, runq = 0;
  bool recorded = false;
};

GeneratorCpu cpu_of(const Facts& facts, const LoadSet& set, std::uint32_t pid) {
  GeneratorCpu out;
  for (const MachineProcess& p : facts.machine) {
    const bool ours = std::find(set.peers.begin(), set.peers.end(), p.pid) != set.peers.end() ||
                      (p.pid != 0 && p.pid == pid);
    if (!ours) continue;
    out.cpus += p.cpus;
    out.runq += p.runq;
    out.recorded = true;
  }
  return out;
}

// The highest percentile that both ends have and that the requests suffice for.
const BothEnds* judged(const LoadPart& part) {
  const BothEnds* best = nullptr;
  for (const BothEnds& b : part.percentiles) {
    if (b.client && b.server && b.enough && b.p <= 99 && (!best || b.p > best->p)) best = &b;
  }
  return best;
}

std::string outside_words(const BothEnds& b, const ClientRun& run) {
  const Duration more = *b.client - *b.server;
  std::string out = fmt::format(
      "{} of the client's p{:g} of {} ({}) lie outside the server: before the request's first byte "
      "had arrived, or after the answer's last write",
      ms_words(more), b.p, ms_words(*b.client), percent_words(to_ms(more) / to_ms(*b.client)));
  if (run.latency_has_connect.value_or(false)) out += "; its latency includes connecting";
  return out;
}

void tell_difference(const ClientRun& run, const LoadView& view, std::vector<std::string>& out) {
  const BothEnds* b = judged(view.whole);
  if (run.kind == LatencyKind::kCorrected) {
    out.push_back(view.tool +
                  "'s percentiles hold latencies that it never measured: they are not "
                  "compared with the server's");
    return;
  }
  if (b == nullptr) {
    out.push_back("there is no percentile that both ends have and that its requests suffice for");
    return;
  }
  const Duration more = *b->client - *b->server;
  const double same = std::max(kSame * to_ms(*b->client), to_ms(view.resolution));
  if (run.kind == LatencyKind::kAsIntended) {
    out.push_back(fmt::format(
        "the client counts p{:g} {} from when a request was due, the server {} from when it came: "
        "the difference is the time that requests waited to be sent, and the client's own",
        b->p, ms_words(*b->client), ms_words(*b->server)));
  } else if (std::abs(to_ms(more)) <= same) {
    out.push_back(fmt::format(
        "both ends agree on p{:g}: what the client waited for happened at the server", b->p));
  } else if (more.count() > 0) {
    out.push_back(outside_words(*b, run));
  } else {
    out.push_back(fmt::format(
        "the server's p{:g} is {} above the client's: requests that the client does not count, or "
        "answers that it read before the server's write returned",
        b->p, ms_words(-more)));
  }
}

void tell_turnaround(const Trace& trace, const LoadSet& set, const LoadView& view,
                     std::vector<std::string>& out) {
  if (!view.turnaround_p50) return;
  Duration sum{};
  for (const RequestId id : set.requests) sum += trace.request(id).latency();
  const double server =
      to_ms(sum) / static_cast<double>(std::max<std::size_t>(set.requests.size(), 1));
  const double turn = to_ms(*view.turnaround_mean);
  out.push_back(fmt::format(
      "of a connection's cycle {} is the server's ({:.2f} ms a request, mean) and {} the "
      "generator's: from an answer to its next request p50 {}, p99 {}",
      percent_words(server / (server + turn)), server, percent_words(turn / (server + turn)),
      ms_words(*view.turnaround_p50), ms_words(*view.turnaround_p99)));
}

void tell_generator(const Facts& facts, const LoadSet& set, const LoadView& view,
                    std::vector<std::string>& out) {
  const GeneratorCpu g = cpu_of(facts, set, view.pid);
  if (!g.recorded) {
    out.push_back(
        "the generator's threads were not seen on this machine: what they waited for cannot be "
        "told");
    return;
  }
  std::string line = fmt::format("the generator used {:.2f} CPUs", g.cpus);
  if (g.runq >= kQueued) {
    line += fmt::format(" and its threads waited {:.2f} s a second for one", g.runq);
    if (g.runq > g.cpus) line += ", longer than they ran: part of what it measured is its own wait";
  }
  if (facts.cpus > 0) {
    line += fmt::format("; {:.2f} of the machine's {} CPUs were in use, {:.2f} by the target",
                        facts.total_cpus, facts.cpus, facts.target_cpus);
  }
  out.push_back(std::move(line));
}

void tell_churn(const LoadView& view, std::vector<std::string>& out) {
  if (view.connections < 100) return;
  const double each = static_cast<double>(view.recorded) / static_cast<double>(view.connections);
  if (each >= kChurn) return;
  const double seconds = to_seconds(view.end - view.begin);
  const double rate = seconds > 0 ? static_cast<double>(view.connections) / seconds : 0;
  std::string line =
      fmt::format("{} connections for {} requests: each pays for a connect ({:.0f}/s)",
                  count_words(view.connections), count_words(view.recorded), rate);
  if (rate * kTimeWait > kFewPorts * kEphemeral) {
    line += fmt::format(
        "; closed ones keep their port for {} s: at this rate {:.0f} of the {} ports that a client "
        "address has by default",
        kTimeWait, rate * kTimeWait, count_words(kEphemeral));
  }
  out.push_back(std::move(line));
}

// Mean of what the generator itself measured from its sends on; nothing if it does not say.
std::optional<Duration> mean_of(const ClientRun& run) {
  if (run.kind != LatencyKind::kAsSent) return std::nullopt;
  if (run.latency.mean) return run.latency.mean->value;
  Duration sum{};
  std::int64_t n = 0;
  for (const ClientSample& s : run.samples) {
    if (s.failed || s.latency < Duration{}) continue;
    sum += s.latency;
    ++n;
  }
  return n == 0 ? std::nullopt : std::optional(sum / n);
}

// Tools that measure inside count more than the sockets show: as far as that happens between requests on the
// connection, it is made of what the generator's threads did then.
void add_inside(const ClientMeans& m, Duration inside, ClientGap& gap) {
  const Duration turn = sum_of_lines(m.turn);
  gap.difference += inside;
  const Duration known = std::min(inside, turn);
  if (turn > Duration{}) {
    const double part = to_ms(known) / to_ms(turn);
    const auto of = [&](ClientLine l) {
      return Duration(static_cast<std::int64_t>(part * static_cast<double>(m.turn.of(l).count())));
    };
    gap.inside = of(ClientLine::kRunq) + of(ClientLine::kOwn);
    gap.runq += of(ClientLine::kRunq);
    gap.own += of(ClientLine::kOwn);
  }
  gap.other += inside - gap.inside;
}

std::optional<ClientGap> client_gap(const Trace& trace, const ClientRun& run, const LoadSet& set) {
  const ClientMeans m = client_means(trace, set.requests);
  if (m.requests == 0) return std::nullopt;
  ClientGap gap;
  const ClientLedger& l = m.ledger;
  gap.send = l.of(ClientLine::kConnect) + l.of(ClientLine::kSend) + l.of(ClientLine::kTransit);
  gap.runq = l.of(ClientLine::kRunq);
  gap.own = l.of(ClientLine::kOwn);
  gap.other = l.of(ClientLine::kIdle) + l.of(ClientLine::kUnknown);
  gap.difference = gap.send + gap.runq + gap.own + gap.other;
  const Duration seen = gap.difference + l.of(ClientLine::kServer) + l.of(ClientLine::kWrite);
  if (const auto told = mean_of(run); told && *told > seen) add_inside(m, *told - seen, gap);
  return gap;
}

void say_why_untraced(const Trace& trace, std::vector<std::string>& out) {
  for (const rows::Capability& c : trace.capabilities) {
    if (c.name != "client" || c.used) continue;
    out.push_back("its end of the connections was not traced: " + c.detail);
    return;
  }
}

void tell_client(const Trace& trace, const LoadView& view, std::vector<std::string>& out) {
  if (!view.client_gap) {
    say_why_untraced(trace, out);
    return;
  }
  const ClientGap& g = *view.client_gap;
  if (g.difference <= Duration{}) return;
  const auto share = [&](Duration d) {
    return fmt::format("{} ({})", ms_words(d), percent_words(to_ms(d) / to_ms(g.difference)));
  };
  std::string line = fmt::format(
      "of the {} (mean) that the client has more than the server, its threads waited for a CPU {}, its own code "
      "ran {}, connecting, sending and the way took {}, not named {}",
      ms_words(g.difference), share(g.runq), share(g.own), share(g.send), share(g.other));
  if (g.inside > Duration{}) {
    line += fmt::format("; of these waits and this code {} lie inside the generator, before its send or after "
                        "its read (estimate)",
                        ms_words(g.inside));
  }
  out.push_back(std::move(line));
}

}  // namespace

void tell_gap(const Trace& trace, const Facts& facts, const ClientRun& run, const LoadSet& set,
              LoadView& view) {
  tell_difference(run, view, view.gap);
  view.client_gap = client_gap(trace, run, set);
  tell_client(trace, view, view.gap);
  tell_turnaround(trace, set, view, view.gap);
  tell_generator(facts, set, view, view.gap);
  tell_churn(view, view.gap);
}

}  // namespace srvprof
