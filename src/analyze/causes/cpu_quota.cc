// The cgroup had used up its CPU quota.
#include <fmt/format.h>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"runq-neighbour", "runq-own-threads",
                                            "runq-load-generator", "steal", "stopped"};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kThrottled ||
         (tile.state == State::kPool && tile.worker_state == State::kThrottled);
}

std::string quota_words(const QuotaUse& q) {
  const double cpus = to_ms(q.quota) / to_ms(q.period);
  return fmt::format(
      "quota {:.2g} CPUs ({} of every {}), cgroup {}: throttled in {} of {} periods, {}", cpus,
      ms_words(q.quota), ms_words(q.period), q.cgroup, count_words(q.throttled),
      count_words(q.periods), ms_words(q.throttled_time));
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "CPU quota: throttled by the cgroup";
  f.evidence.push_back(stalls_words(stats));
  if (std::string echo = echo_words(stats); !echo.empty()) f.evidence.push_back(std::move(echo));
  const QuotaUse q = quota_use(ctx.trace, ctx.begin, ctx.end);
  if (q.recorded && q.quota > Duration(0) && q.period > Duration(0)) {
    f.evidence.push_back(quota_words(q));
    f.tries.push_back(
        fmt::format("a larger quota for {}, or fewer threads running at once", q.cgroup));
    Culprit c;
    c.cgroup = q.cgroup;
    c.what = "CPU quota";
    c.time = stats.gap;
    c.share_of_gap = stats.share;
    f.culprits.push_back(std::move(c));
  } else {
    f.evidence.push_back("the cgroup's counters were not recorded");
    f.tries.push_back("a larger CPU quota, or fewer threads running at once");
  }
  return f;
}

std::string innocent(const CauseContext& ctx, const ClaimStats& stats) {
  const QuotaUse q = quota_use(ctx.trace, ctx.begin, ctx.end);
  if (stats.subject_mean > Duration(0)) return fmt::format("throttled {}", excess_words(stats));
  if (!q.recorded) return "no throttled time was seen";
  if (q.quota == Duration(0)) return "no CPU quota";
  return fmt::format("its CPU quota held it back in {} of {} periods", count_words(q.throttled),
                     count_words(q.periods));
}

}  // namespace

const Cause kCpuQuotaCause{.id = "cpu-quota",
                           .title = "CPU quota",
                           .doc = "runnable, but held back by the cgroup's CPU quota",
                           .claims = claims,
                           .describe = describe,
                           .innocent = innocent,
                           .look_alikes = kLookAlikes};

}  // namespace srvprof
