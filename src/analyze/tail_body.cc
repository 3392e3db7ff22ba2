#include "analyze/tail_body.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kTailAtLeast = 5;
constexpr Duration kLeastGap = 1ms;
// From here on a gap is explained even if it comes from one stall, which a bootstrap over blocks
// always finds uncertain.
constexpr Duration kLargeGap = 5ms;
constexpr double kLeastOfBody = 0.1;  // of the body's mean
constexpr double kSlowerShare = 0.2;  // of the tail must be slow, not one outlier alone

}  // namespace

SplitRanks split_ranks(std::size_t n, double tail_percentile) {
  SplitRanks s;
  if (n == 0) return s;
  const std::size_t above = rank_of(tail_percentile, n) + 1;
  s.tail = std::min(above, n > kTailAtLeast ? n - kTailAtLeast : 0);
  s.body_from = rank_of(40, n);
  s.body_to = std::max(s.body_from + 1, rank_of(60, n));
  s.fast_from = rank_of(1, n);
  s.fast_to = std::max(s.fast_from + 1, rank_of(10, n));
  return s;
}

std::size_t fewest_requests(bool first_requests) { return first_requests ? 30 : 100; }

std::string nothing_to_explain(const GapFacts& f) {
  if (f.requests < fewest_requests(f.first_requests)) {
    return fmt::format("too few requests ({}, at least {} are needed)", f.requests,
                       fewest_requests(f.first_requests));
  }
  if (f.gap < kLeastGap) {
    return fmt::format("nothing to explain: slow requests take only {} longer than ordinary ones",
                       ms_words(std::max(f.gap, Duration(0))));
  }
  if (to_ms(f.gap) < kLeastOfBody * to_ms(f.body_mean)) {
    return fmt::format(
        "nothing to explain: the gap of {} is small beside the {} of an ordinary request",
        ms_words(f.gap), ms_words(f.body_mean));
  }
  const double slower = static_cast<double>(f.slower);
  if (f.slower < 3 || slower < kSlowerShare * static_cast<double>(f.tail_requests)) {
    return fmt::format(
        "nothing to explain: single outliers, {} of the {} slow requests are 1 ms slower "
        "than ordinary ones",
        f.slower, f.tail_requests);
  }
  if (f.gap < kLargeGap && f.bootstrap.blocks >= 2 && f.bootstrap.gap.low < kLeastGap) {
    return fmt::format("nothing to explain: the gap of {} [{} .. {}] is inside the run's own noise",
                       ms_words(f.gap), ms_words(f.bootstrap.gap.low),
                       ms_words(f.bootstrap.gap.high));
  }
  return {};
}

}  // namespace srvprof
