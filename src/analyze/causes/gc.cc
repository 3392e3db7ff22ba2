// The runtime collected garbage. Time in which the collecting thread had no CPU belongs to whoever took
// it, although the runtime's own figures count it as part of the pause.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analyze/causes/evidence.h"
#include "analyze/causes/list.h"
#include "analyze/collections.h"
#include "analyze/words.h"
#include "trace/spans.h"

namespace srvprof {
namespace {

constexpr std::string_view kLookAlikes[] = {"cpu-quota", "runq-neighbour", "runq-own-threads",
                                            "behind-other-route", "behind-same-route", "handler-cpu"};

struct Advice {
  std::string_view runtime, text;
};
constexpr Advice kAdvice[] = {
    {"node", "a larger young generation (--max-semi-space-size) for many scavenges, a smaller live heap "
             "or --max-old-space-size for mark-compacts"},
    {"go", "a higher GOGC or a GOMEMLIMIT, if there is memory to spare"},
    {"jvm", "another collector or heap size (-Xmx, -XX:MaxGCPauseMillis, ZGC)"},
    {"cpython", "gc.freeze() after start-up, or higher thresholds (gc.set_threshold)"},
};

bool claims(const CauseContext&, const Request&, const Tile& tile) {
  return tile.gc != GcShare::kNone;
}

// Totals of the distinct collections behind the tiles, by name and kind, by time.
std::vector<CollectionTotals> behind_tiles(const Trace& trace, const ClaimStats& stats) {
  std::set<std::uint32_t> spans;
  for (const ClaimedTile& c : stats.tiles) spans.insert(c.tile.span);
  std::map<std::pair<std::string, std::string>, CollectionTotals> by_kind;
  for (const std::uint32_t n : spans) {
    const rows::Span& span = trace.spans[n - 1];
    const GcInterval gc = interval_of(trace, n);
    CollectionTotals& t = by_kind[{span.name, span.kind}];
    t.name = span.name;
    t.kind = span.kind;
    ++t.count;
    t.time += gc.end - gc.begin;
    t.longest = std::max(t.longest, gc.end - gc.begin);
  }
  std::vector<CollectionTotals> out;
  for (auto& [key, totals] : by_kind) out.push_back(std::move(totals));
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.time > b.time; });
  return out;
}

// What the requests met most, by their own time.
std::string main_kind(const Trace& trace, const ClaimStats& stats) {
  const auto by_name = sum_by<std::string>(stats, [&](const ClaimedTile& c) {
    return collection_name(trace.spans[c.tile.span - 1]);
  });
  const auto top = largest(by_name, 1);
  return top.empty() ? "" : top.front().first;
}

std::string share_words(const ClaimStats& stats) {
  Duration assist{}, helpers{};
  for (const ClaimedTile& c : stats.tiles) {
    if (c.tile.gc == GcShare::kAssist) assist += c.tile.length;
    if (c.tile.gc == GcShare::kHelpers) helpers += c.tile.length;
  }
  std::string out;
  if (assist != Duration{}) {
    out = fmt::format("of it {} while its goroutine helped the collector",
                      ms_words(per_request(stats, assist)));
  }
  if (helpers != Duration{}) {
    out += fmt::format("{}of it {} queued for a CPU that the collector's helpers held",
                       out.empty() ? "" : ", ", ms_words(per_request(stats, helpers)));
  }
  return out;
}

// "in this phase: 31 pauses, 8 % of its time; for 12 ms of it the collecting thread had no CPU, ..."
std::string phase_words(const CauseContext& ctx) {
  Duration time{}, off{};
  std::uint64_t count = 0;
  for (const CollectionTotals& t : collections_of(ctx.trace, ctx.begin, ctx.end)) {
    if (t.name != "gc.pause" && t.name != "gc.stw" && t.name != "gc.slice") continue;
    time += t.time;
    off += t.kept_off;
    count += t.count;
  }
  if (count == 0 || ctx.end <= ctx.begin) return {};
  std::string out = fmt::format("in this phase the collector stopped it {} times, {} of the time",
                                count_words(count),
                                percent_words(to_seconds(time) / to_seconds(ctx.end - ctx.begin)));
  if (to_ms(off) >= 0.02 * to_ms(time)) {
    out += fmt::format("; for {} of that the collecting thread had no CPU, which is charged to the run "
                       "queue or the quota unless its own helpers held it",
                       ms_words(off));
  }
  return out;
}

Finding describe(const CauseContext& ctx, const ClaimStats& stats) {
  Finding f;
  const std::string kind = main_kind(ctx.trace, stats);
  f.title = fmt::format("garbage collection ({})", kind);
  for (const CollectionTotals& t : behind_tiles(ctx.trace, stats)) {
    if (f.evidence.size() < 3) f.evidence.push_back(totals_words(t));
  }
  for (const std::string& line : {share_words(stats), echo_words(stats), phase_words(ctx)}) {
    if (!line.empty()) f.evidence.push_back(line);
  }
  Culprit c;
  c.what = kind;
  c.time = stats.gap;
  c.share_of_gap = stats.share;
  f.culprits.push_back(std::move(c));
  f.tries.push_back("allocate less in a request, keep fewer objects alive");
  const auto runtime = ctx.trace.meta.find("target.runtime");
  for (const Advice& a : kAdvice) {
    if (runtime != ctx.trace.meta.end() && runtime->second.find(a.runtime) != std::string::npos) {
      f.tries.emplace_back(a.text);
    }
  }
  return f;
}

std::string innocent(const CauseContext& ctx, const ClaimStats& stats) {
  if (!collections_measured(ctx.trace)) return "garbage collection was not measured";
  return fmt::format("the garbage collector stopped it for {}", excess_words(stats));
}

}  // namespace

const Cause kGcCause{.id = "gc",
                     .title = "garbage collection",
                     .doc = "the runtime's collector stopped the request or made it help",
                     .claims = claims,
                     .describe = describe,
                     .innocent = innocent,
                     .look_alikes = kLookAlikes};

}  // namespace srvprof
