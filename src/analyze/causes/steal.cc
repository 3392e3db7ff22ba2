// The hypervisor gave the CPU to another machine.
#include <fmt/format.h>

#include <set>
#include <tuple>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLookAlikes[] = {"runq-neighbour", "cpu-quota", "handler-cpu"};
constexpr Duration kLeast = 1ms;  // the clock that steal is read from is too coarse for less

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.state == State::kSteal;
}

// Steal as such, counted once however many requests waited through it.
Duration distinct_time(const ClaimStats& stats) {
  std::set<std::tuple<std::uint32_t, Time, Duration>> seen;
  Duration sum{};
  for (const ClaimedTile& c : stats.tiles) {
    if (seen.emplace(c.tile.thread.value, c.tile.begin, c.tile.length).second) sum += c.tile.length;
  }
  return sum;
}

Duration counted(const CauseContext& ctx) {
  const auto ns = counter_growth(ctx.trace, "steal_ns.", ctx.begin, ctx.end);
  return Duration(static_cast<std::int64_t>(ns.value_or(0)));
}

// The machine's own counters must have seen at least half of what the requests were charged with.
bool plausible(const CauseContext& ctx, const ClaimStats& stats) {
  return stats.gap >= kLeast && 2 * counted(ctx) >= distinct_time(stats);
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  f.title = "steal: the hypervisor had the CPU";
  f.evidence.push_back(stalls_words(stats));
  f.evidence.push_back(fmt::format("the machine's own counters: {} stolen during this phase",
                                   ms_words(counted(ctx))));
  f.tries.push_back("nothing inside this machine: a quieter host, or dedicated CPUs");
  return f;
}

std::string innocent(const CauseContext&, const ClaimStats& stats) {
  if (stats.subject_mean == Duration(0)) return "no CPU time was stolen by the hypervisor";
  return fmt::format("the hypervisor took {}", excess_words(stats));
}

}  // namespace

const Cause kStealCause{.id = "steal",
                        .title = "steal",
                        .doc = "the hypervisor had given the CPU to another machine",
                        .claims = claims,
                        .describe = describe,
                        .innocent = innocent,
                        .look_alikes = kLookAlikes,
                        .plausible = plausible};

}  // namespace srvprof
