// The generator's count of answers against the recorded requests.
#include <fmt/format.h>

#include <algorithm>

#include "analyze/load_words.h"
#include "analyze/losses.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kEnd = 200ms;  // before the last request: connections used then are still open

// Connections that the generator still used when it stopped: each may have had one request whose
// answer it did not count.
std::uint64_t open_connections(const Trace& trace, const LoadSet& set) {
  Time last;
  for (const RequestId id : set.requests) last = std::max(last, trace.request(id).t_done);
  std::uint64_t open = 0;
  for (std::size_t i = 0; i < set.requests.size(); ++i) {
    const Request& r = trace.request(set.requests[i]);
    const bool is_last =
        i + 1 == set.requests.size() || trace.request(set.requests[i + 1]).conn != r.conn;
    open += is_last && (r.t_done + kEnd >= last || r.censored || r.aborted);
  }
  return open;
}

void tell_more(const LoadView& view, std::uint64_t more, std::vector<std::string>& out) {
  if (more <= view.open_at_end) {
    out.push_back(fmt::format(
        "{} more were recorded than it counted: in flight when it stopped, with {} open",
        count_words(more), plural_words(view.open_at_end, "connection")));
    return;
  }
  out.push_back(fmt::format(
      "{} more were recorded than it counted: at most {} of them in flight when it stopped",
      count_words(more), count_words(view.open_at_end)));
  const std::uint64_t rest = more - view.open_at_end;
  const std::uint64_t failed = view.unanswered.value_or(0);
  if (failed > 0) {
    out.push_back(fmt::format("it calls {} failed: these arrived here if their connection did",
                              plural_words(failed, "request")));
  }
  if (rest > failed) {
    out.push_back(fmt::format(
        "{} remain: other runs of it, a warm-up that it does not count, failures that it does not "
        "print, or requests that its HTTP client sent again after a connection was closed",
        count_words(rest - failed)));
  }
}

void tell_fewer(const Trace& trace, const LoadView& view, std::uint64_t fewer,
                std::vector<std::string>& out) {
  out.push_back(
      fmt::format("{} fewer were recorded than it counted", plural_words(fewer, "request")));
  const auto add = [&](std::uint64_t n, const char* what) {
    if (n > 0) out.push_back(fmt::format("{} {}", count_words(n), what));
    fewer -= std::min(fewer, n);
  };
  add(trace.left_out_at_attach, "were in flight at attach and are left out");
  add(lost_requests(trace), "were lost by srvprof");
  const bool sampled = std::any_of(trace.governor.begin(), trace.governor.end(),
                                   [](const rows::Governor& g) { return g.one_in > 1; });
  if (sampled) out.push_back("srvprof recorded only some of the connections in full, to keep up");
  if (view.begin < trace.t_begin || view.end > trace.t_end) {
    out.push_back("its run began before or ended after the recording");
  }
  if (fewer > 0 && !sampled) {
    out.push_back(fmt::format("{} remain: they went to another process, port or protocol",
                              count_words(fewer)));
  }
}

}  // namespace

void count_both_ends(const Trace& trace, const ClientRun& run, const LoadSet& set, LoadView& view) {
  view.counted = run.counts.answered ? run.counts.answered : run.counts.requests;
  view.unanswered = run.counts.unanswered;
  view.recorded = set.requests.size();
  view.open_at_end = open_connections(trace, set);
  if (!view.counted) {
    view.count_lines.push_back("it does not say how many answers it got");
    return;
  }
  const std::uint64_t counted = *view.counted, recorded = view.recorded;
  if (run.counts.rounded_to > 1) {
    const std::uint64_t off = recorded > counted ? recorded - counted : counted - recorded;
    view.counts_agree = off <= run.counts.rounded_to + view.open_at_end;
    view.count_lines.push_back(fmt::format("it rounds its count to {}: the two {}",
                                           count_words(run.counts.rounded_to),
                                           view.counts_agree ? "agree" : "do not agree"));
    return;
  }
  view.counts_agree = recorded >= counted && recorded - counted <= view.open_at_end;
  if (recorded == counted) {
    view.count_lines.push_back("both counts are the same");
  } else if (recorded > counted) {
    tell_more(view, recorded - counted, view.count_lines);
  } else {
    tell_fewer(trace, view, counted - recorded, view.count_lines);
  }
}

}  // namespace srvprof
