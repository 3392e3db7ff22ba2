// The connection was established, the request's bytes were there, but nobody had accepted it yet.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"cpu-quota", "runq-neighbour", "runq-load-generator",
                                            "handler-cpu", "behind-other-route"};

// All of the wait for accept() is this cause's, whatever the accepting thread did meanwhile: the
// evidence says what that was.
bool claims(const CauseContext&, const Request& request, const Tile& tile) {
  return request.first && tile.phase == LifePhase::kAccept;
}

// The most connections of the phase that waited for accept() at the same time.
std::size_t most_waiting(const CauseContext& ctx) {
  std::vector<std::pair<Time, int>> steps;
  for (const Request& r : ctx.trace.requests) {
    if (!r.first || r.t_arrive < ctx.begin || r.t_arrive >= ctx.end) continue;
    if (r.t_accepted <= r.t_arrive) continue;
    steps.push_back({r.t_arrive, 1});
    steps.push_back({r.t_accepted, -1});
  }
  std::sort(steps.begin(), steps.end());
  std::size_t most = 0;
  int waiting = 0;
  for (const auto& [t, step] : steps) {
    waiting += step;
    most = std::max(most, static_cast<std::size_t>(std::max(waiting, 0)));
  }
  return most;
}

std::string split_words(const ClaimStats& stats) {
  const Duration work = state_time(stats, State::kBehind) + state_time(stats, State::kCpu);
  const Duration throttled = state_time(stats, State::kThrottled);
  const Duration queued =
      state_time(stats, State::kRunqWake) + state_time(stats, State::kRunqPreempt);
  const Duration rest = std::max(stats.subject_mean - work - throttled - queued, Duration(0));
  return fmt::format(
      "meanwhile the accepting thread worked for others {}, was throttled {}, waited for a CPU {}, "
      "other {}",
      ms_words(work), ms_words(throttled), ms_words(queued), ms_words(rest));
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "accept queue: connections waited to be accepted";
  f.evidence.push_back(fmt::format("the request lay there for {} before accept() returned",
                                   ms_words(stats.subject_mean)));
  f.evidence.push_back(split_words(stats));
  f.evidence.push_back(
      fmt::format("up to {} connections waited at the same time", most_waiting(ctx)));
  if (const auto overflows =
          counter_growth(ctx.trace, "tcp.listen_overflows", ctx.begin, ctx.end)) {
    f.evidence.push_back(
        fmt::format("{} of the accept queue", plural_words(*overflows, "overflow")));
  }
  f.tries.push_back("connect earlier or more slowly: keep connections open, ramp up");
  if (ctx.trace.model == RuntimeModel::kEventLoop) {
    f.tries.push_back(
        "more workers: an event loop that accepts one connection a turn serves all accepted ones "
        "first");
  }
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  return fmt::format("{} in the accept queue", excess_words(stats));
}

}  // namespace

const Cause kAcceptQueueCause{.id = "accept-queue",
                              .title = "accept queue",
                              .doc = "first requests waited for accept() of their connection",
                              .claims = claims,
                              .describe = describe,
                              .innocent = innocent,
                              .look_alikes = kLookAlikes};

}  // namespace srvprof
