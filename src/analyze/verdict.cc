#include "analyze/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "analyze/words.h"

namespace srvprof {
namespace {

double findings_share(const Group& g, bool of_body) {
  double sum = 0;
  for (const Finding& f : g.findings) {
    if (f.of_body == of_body) sum += f.share;
  }
  return std::min(sum, 1.0);
}

// Seconds that the group's requests lost to what was found.
double lost_seconds(const GroupData& g) {
  const double tail = to_seconds(std::max(g.gap, Duration(0))) *
                      static_cast<double>(g.out.tail_requests) * findings_share(g.out, false);
  // Where the ordinary request waits, all of them do.
  const double body =
      to_seconds(g.body_mean) * static_cast<double>(g.out.requests) * findings_share(g.out, true);
  return tail + body;
}

// A wait of 200 ms is worse for a request that needs 0.1 ms of work than for one that needs 30 ms.
double severity(const GroupData& g) {
  const double own = std::max(to_ms(g.out.body.of(State::kCpu)), 0.05);
  const double slow = std::max(to_ms(g.out.tail.total()), own);
  return std::log2(1 + slow / own);
}

bool is_client_side(const GroupData& g) {
  return !g.out.findings.empty() && g.out.findings.front().cause == "client-side";
}

struct Rank {
  bool client_side = false;
  bool later_phase = false;  // neither idle nor warm-up
  bool found = false;
  double score = 0;
  std::uint64_t requests = 0;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};

Rank rank_of_group(const GroupData& g) {
  const std::string& phase = g.out.phase;
  const bool early = phase.rfind("idle", 0) == 0 || phase.rfind("warm-up", 0) == 0;
  const double lost = lost_seconds(g);
  return {is_client_side(g), !early, !g.out.findings.empty(), lost * severity(g), g.out.requests};
}

const Percentile* percentile(const Group& g, double p) {
  for (const Percentile& q : g.percentiles) {
    if (q.p == p) return &q;
  }
  return nullptr;
}

std::string p99_words(const Group& g) {
  const Percentile *p99 = percentile(g, 99), *p50 = percentile(g, 50);
  if (!p99 || !p50) return {};
  if (!p99->enough) {
    return fmt::format("max {}, p50 {} (too few requests for a p99)", ms_words(g.max),
                       ms_words(p50->value));
  }
  return fmt::format("p99 {}, p50 {}", interval_words(p99->value, p99->low, p99->high),
                     ms_words(p50->value));
}

std::string phase_words(const Trace& trace, const LoadPhase& phase, const Group& g) {
  return fmt::format("(phase {} {}-{}, {} requests, {} slow)", phase.name,
                     clock_words(phase.begin - trace.t_begin),
                     clock_words(phase.end - trace.t_begin), count_words(g.requests),
                     count_words(g.tail_requests));
}

std::string sentence(const Trace& trace, const std::vector<LoadPhase>& phases,
                     const GroupData& data) {
  const Group& g = data.out;
  const bool only_body = std::none_of(g.findings.begin(), g.findings.end(),
                                      [](const Finding& f) { return !f.of_body; });
  const char* what = only_body ? "is slow as a rule" : "is slow in its tail";
  const std::string route = g.route.empty() ? "requests without a readable path" : g.route;
  return fmt::format("{}{} {}: {}   {}", route,
                     g.first_requests ? " (first of each connection)" : "", what, p99_words(g),
                     phase_words(trace, phases[data.phase], g));
}

std::string main_reason(const Finding& f) {
  return fmt::format("mostly: {} ({} of {})", f.title, percent_words(f.share),
                     f.of_body ? "an ordinary request's time" : "what slow requests take longer");
}

void nothing(const std::vector<GroupData>& groups, std::vector<std::string>& out) {
  if (groups.empty() || groups.front().out.requests == 0) {
    out.push_back("nothing to explain: no HTTP/1 request was recorded");
    return;
  }
  const Group& g = groups.front().out;
  std::string why = g.not_explained_why;
  if (why.rfind("nothing to explain: ", 0) == 0) why.erase(0, 20);
  if (why.empty()) why = "no cause holds more than 5 % of the gap";
  out.push_back(fmt::format("nothing to explain: {}, {}: {}", g.route, p99_words(g), why));
}

}  // namespace

void order_groups(std::vector<GroupData>& groups) {
  std::stable_sort(groups.begin(), groups.end(), [](const GroupData& a, const GroupData& b) {
    return rank_of_group(a) > rank_of_group(b);
  });
}

std::vector<std::string> verdict_of(const Trace& trace, const Facts& facts,
                                    const std::vector<LoadPhase>& phases,
                                    const std::vector<GroupData>& groups,
                                    const ReportOptions& options) {
  std::vector<std::string> out;
  if (groups.empty() || groups.front().out.findings.empty()) {
    nothing(groups, out);
  } else if (is_client_side(groups.front())) {
    const Finding& f = groups.front().out.findings.front();
    out.push_back(f.share_is_of_client ? f.title + ": " + f.evidence.front()
                                       : fmt::format("the load generator, not the server: the target was "
                                                     "idle for {} of the time",
                                                     percent_words(facts.target_idle_share)));
    out.push_back("beside that, " + sentence(trace, phases, groups.front()));
  } else {
    out.push_back(sentence(trace, phases, groups.front()));
    out.push_back(main_reason(groups.front().out.findings.front()));
  }
  if (options.tail_percentile != 99 && !groups.empty()) {
    out.push_back(fmt::format("slow means above p{:g}", options.tail_percentile));
  }
  return out;
}

}  // namespace srvprof
