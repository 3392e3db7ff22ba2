#include "analyze/explain.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/losses.h"
#include "analyze/without.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostTail = 10'000, kMostBody = 5'000, kMostFastest = 2'000;
constexpr double kLeastShare = 0.05;
constexpr double kLeastBodyShare = 0.1;
constexpr Duration kLeastTime = 500us;
constexpr Duration kSlowBody = 2ms;
constexpr double kWaitingShare = 0.5;

std::span<const RequestId> slice(const std::vector<RequestId>& ids, std::size_t from,
                                 std::size_t to) {
  return std::span(ids).subspan(from, std::min(to, ids.size()) - from);
}

double mean_minor_faults(const Trace& trace, std::span<const RequestId> ids) {
  double sum = 0;
  for (const RequestId id : ids) sum += trace.request(id).min_flt;
  return ids.empty() ? 0 : sum / static_cast<double>(ids.size());
}

std::size_t largest_waiting_cause(const ClaimSet& set) {
  std::size_t best = set.claimed.size() - 1;
  Duration most{};
  for (std::size_t c = 0; c + 1 < set.claimed.size(); ++c) {
    if (all_causes()[c]->id == "handler-cpu" || set.claimed[c] <= most) continue;
    most = set.claimed[c];
    best = c;
  }
  return best;
}

bool body_waits(const ClaimSet& body) {
  return body.mean_latency >= kSlowBody &&
         to_ms(body.mean.of(State::kCpu)) <= (1 - kWaitingShare) * to_ms(body.mean_latency);
}

std::vector<ClaimStats> all_stats(ClaimSet& subject, const ClaimSet* baseline) {
  std::vector<ClaimStats> out;
  for (std::size_t c = 0; c < all_causes().size(); ++c) {
    out.push_back(stats_of(subject, baseline, c));
  }
  return out;
}

std::vector<std::string> ruled_out(const CauseContext& ctx, const std::vector<ClaimStats>& all,
                                   const Cause& cause) {
  std::vector<std::string> out;
  for (const std::string_view id : cause.look_alikes) {
    for (const ClaimStats& s : all) {
      // What has a finding of its own is not ruled out.
      if (s.cause->id != id || !s.cause->innocent || s.share >= kLeastShare) continue;
      out.push_back(s.cause->innocent(ctx, s));
    }
  }
  return out;
}

std::vector<Finding> findings_of(const CauseContext& ctx, const std::vector<ClaimStats>& all,
                                 double least_share) {
  std::vector<Finding> out;
  for (const ClaimStats& s : all) {
    if (!s.cause->describe || s.share < least_share || s.gap < kLeastTime) continue;
    if (s.cause->plausible && !s.cause->plausible(ctx, s)) continue;
    if (loss_forbids(ctx, s)) continue;
    Finding f = s.cause->describe(ctx, s);
    f.cause = s.cause->id;
    f.share = std::min(s.share, 1.0);
    f.gap = s.gap;
    f.requests = s.requests;
    f.tail_requests = s.subject_requests;
    f.stalls = s.stalls;
    f.of_body = s.of_body;
    f.ruled_out = ruled_out(ctx, all, *s.cause);
    out.push_back(std::move(f));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.share > b.share; });
  return out;
}

std::size_t slower_by_1ms(const Trace& trace, std::span<const RequestId> tail, Duration body) {
  return static_cast<std::size_t>(std::count_if(tail.begin(), tail.end(), [&](RequestId id) {
    return trace.request(id).latency() >= body + 1ms;
  }));
}

void explain_tail(const CauseContext& ctx, const TileSource& source, GroupData& g, ClaimSet& tail,
                  const ClaimSet& body) {
  const std::size_t top = largest_waiting_cause(tail);
  const bool same_as_body =
      body_waits(body) && top + 1 < tail.claimed.size() && largest_waiting_cause(body) == top;
  ClaimSet fastest;
  if (same_as_body) {
    fastest = claim(ctx, source, slice(g.members, g.split.fast_from, g.split.fast_to), kMostFastest,
                    false);
  }
  const auto all = all_stats(tail, same_as_body ? &fastest : &body);
  std::vector<Finding> findings = findings_of(ctx, all, kLeastShare);
  for (Finding& f : findings) {
    if (same_as_body) {
      f.evidence.push_back(fmt::format(
          "ordinary requests wait for the same: shares are of the time beyond the fastest "
          "requests (p1..p10, {})",
          ms_words(fastest.mean_latency)));
    }
    g.out.findings.push_back(std::move(f));
  }
}

}  // namespace

void explain(const CauseContext& ctx_in, const TileSource& source, GroupData& g) {
  g.out.gap = g.gap;
  const std::size_t n = g.members.size();
  if (n == 0) {
    g.out.not_explained_why = "no requests but streams";
    return;
  }
  CauseContext ctx = ctx_in;
  const auto body_ids = slice(g.members, g.split.body_from, g.split.body_to);
  const auto tail_ids = slice(g.members, g.split.tail, n);
  ctx.baseline_min_flt = mean_minor_faults(ctx.trace, body_ids);
  ClaimSet body = claim(ctx, source, body_ids, kMostBody, true);
  ClaimSet tail = claim(ctx, source, tail_ids, kMostTail, true);
  g.out.body = body.mean;
  g.out.tail = tail.mean;
  if (tail.mean_latency > Duration(0)) {
    g.out.unexplained_share = to_ms(tail.mean.unnamed) / to_ms(tail.mean_latency);
  }
  GapFacts facts{n,          tail_ids.size(), slower_by_1ms(ctx.trace, tail_ids, g.body_mean),
                 g.first,    g.gap,           g.body_mean,
                 g.bootstrap};
  g.out.not_explained_why = nothing_to_explain(facts);
  g.out.explained = g.out.not_explained_why.empty();
  const bool waits = body_waits(body) && n >= fewest_requests(g.first);
  if (g.out.explained) explain_tail(ctx, source, g, tail, body);
  if (waits) {
    const auto all = all_stats(body, nullptr);
    for (Finding& f : findings_of(ctx, all, kLeastBodyShare))
      g.out.findings.push_back(std::move(f));
  }
  if (!g.out.findings.empty()) estimate_without(ctx, source, g);
}

}  // namespace srvprof
