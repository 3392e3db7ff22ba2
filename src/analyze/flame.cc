// Flame graphs: of everything, or of what slow requests met.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/claims.h"
#include "analyze/flame_build.h"
#include "analyze/groups.h"
#include "analyze/phases.h"
#include "analyze/samples.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

constexpr std::size_t kMostRequests = 20'000;  // for graphs of requests: an even choice of them

struct Window {
  Time begin, end;
};

struct Selection {
  std::vector<RequestId> slow;  // the subject: tail, or all
  std::vector<RequestId> body;  // of differential graphs
};

Selection select(const Trace& trace, const FlameOptions& options) {
  ReportOptions filter;
  filter.phase = options.phase;
  filter.route = options.route;
  if (options.tail_percentile > 0) filter.tail_percentile = options.tail_percentile;
  const bool all = options.tail_percentile <= 0 && !options.diff_body;
  Selection s;
  for (const GroupData& g : groups_of(trace, load_phases(trace), filter)) {
    const auto at = [&](std::size_t i) {
      return g.members.begin() + static_cast<std::ptrdiff_t>(i);
    };
    s.slow.insert(s.slow.end(), all ? g.members.begin() : at(g.split.tail), g.members.end());
    if (g.members.empty()) continue;
    s.body.insert(s.body.end(), at(g.split.body_from), at(g.split.body_to));
  }
  s.slow = spread(trace, tiles_of, s.slow, kMostRequests);
  s.body = spread(trace, tiles_of, s.body, kMostRequests);
  return s;
}

std::vector<Window> windows(const Trace& trace, const FlameOptions& options) {
  std::vector<Window> out;
  for (const LoadPhase& phase : load_phases(trace)) {
    if (options.phase.empty() || phase.name == options.phase)
      out.push_back({phase.begin, phase.end});
  }
  return out;
}

bool is_in(const std::vector<Window>& windows, Time t) {
  return std::any_of(windows.begin(), windows.end(),
                     [&](const Window& w) { return t >= w.begin && t < w.end; });
}

// The thread that had this tid at `t`: numbers of short-lived threads are used again.
const Thread* thread_at_time(const Trace& trace, std::uint32_t tid, Time t) {
  const auto found = trace.thread_by_tid.find(tid);
  if (found == trace.thread_by_tid.end()) return nullptr;
  const Thread* thread = &trace.thread(found->second);
  while (thread->earlier && t < thread->t_born) thread = &trace.thread(thread->earlier);
  return thread;
}

bool route_matches(const Trace& trace, const Thread& thread, Time t, const std::string& route) {
  if (route.empty()) return true;
  const RequestId owner = owner_at(thread, t);
  return owner && trace.routes[trace.request(owner).route.value] == route;
}

void add_sample(const Trace& trace, const rows::Sample& s, double weight, bool baseline,
                FlameBuilder& builder) {
  const Thread* thread = thread_at_time(trace, s.tid, s.t);
  builder.add(thread ? thread->comm : "", s.ustack, s.kstack, {}, weight, baseline);
}

// --- everything
// -----------------------------------------------------------------------------------

void all_samples(const Trace& trace, const FlameOptions& options, FlameBuilder& builder) {
  const std::vector<Window> in = windows(trace, options);
  for (const rows::Sample& s : trace.samples) {
    if (!options.phase.empty() && !is_in(in, s.t)) continue;
    const Thread* thread = thread_at_time(trace, s.tid, s.t);
    if (!options.route.empty() && (!thread || !route_matches(trace, *thread, s.t, options.route))) {
      continue;
    }
    add_sample(trace, s, 1, false, builder);
  }
}

// Where threads waited although they had work: an idle loop or worker is no news.
void all_off_cpu(const Trace& trace, const FlameOptions& options, FlameBuilder& builder) {
  const std::vector<Window> in = windows(trace, options);
  for (const Thread& thread : trace.threads) {
    for (const OffInterval& off : thread.off) {
      if (!options.phase.empty() && !is_in(in, off.t_out)) continue;
      if (!route_matches(trace, thread, off.t_out, options.route)) continue;
      const Duration throttled = off.t_throttle_end - off.t_throttle;
      const auto add = [&](std::string_view leaf, Duration d) {
        builder.add(thread.comm, off.ustack, off.kstack, leaf, to_ms(d), false);
      };
      if (!off.idle) add("[blocked]", off.t_wake - off.t_out);
      add("[run queue]", off.t_in - off.t_wake - throttled);
      add("[throttled]", throttled);
    }
  }
}

// --- what requests met
// ----------------------------------------------------------------------------

bool is_on_cpu(State state) {
  return state == State::kCpu || state == State::kBehind || state == State::kIrq ||
         state == State::kSteal;
}

// The task whose code explains the tile: its thread's, the worker's, or of the target's own thread
// that held the CPU. 0 = none that is sampled.
std::uint32_t running_task(const Trace& trace, const Tile& tile) {
  if (is_on_cpu(tile.state)) return tile.thread ? trace.thread(tile.thread).tid : 0;
  if (tile.who.kind != Who::Kind::kTask) return 0;
  const bool other_runs = tile.state == State::kPool || tile.state == State::kRunqPreempt ||
                          tile.state == State::kRunqWake;
  return other_runs && trace.thread_by_tid.contains(tile.who.id) ? tile.who.id : 0;
}

void samples_of_requests(const Trace& trace, const std::vector<RequestId>& ids, bool distinct,
                         bool baseline, FlameBuilder& builder) {
  std::map<const rows::Sample*, double> met;
  std::vector<Tile> tiles;
  for (const RequestId id : ids) {
    tiles_of(trace, id, tiles);
    for (const Tile& tile : tiles) {
      const std::uint32_t tid = running_task(trace, tile);
      if (tid == 0) continue;
      for_samples(trace, tid, tile.begin, tile.begin + tile.length,
                  [&](const rows::Sample& s) { met[&s] += 1; });
    }
  }
  const double per_request = ids.empty() ? 0 : 1.0 / static_cast<double>(ids.size());
  for (const auto& [sample, times] : met) {
    add_sample(trace, *sample, distinct ? 1.0 : times * per_request, baseline, builder);
  }
}

// A frame in brackets for the state of a tile that has no code to show.
std::string state_leaf(State state) { return fmt::format("[{}]", name_of(state)); }

// Mean ms a request: off-CPU time by the stack of its interval and, for `wall`, on-CPU time spread
// over the samples of all these requests.
void time_of_requests(const Trace& trace, const std::vector<RequestId>& ids, bool wall,
                      bool baseline, FlameBuilder& builder) {
  std::map<const rows::Sample*, double> met;
  double on_cpu_ms = 0, samples = 0;
  const double per_request = ids.empty() ? 0 : 1.0 / static_cast<double>(ids.size());
  std::vector<Tile> tiles;
  for (const RequestId id : ids) {
    tiles_of(trace, id, tiles);
    for (const Tile& tile : tiles) {
      const double ms = to_ms(tile.length);
      const Thread* thread = tile.thread ? &trace.thread(tile.thread) : nullptr;
      if (is_on_cpu(tile.state)) {
        if (!wall || !thread) continue;
        on_cpu_ms += ms;
        for_samples(trace, thread->tid, tile.begin, tile.begin + tile.length,
                    [&](const rows::Sample& s) { met[&s] += 1, samples += 1; });
        continue;
      }
      const OffInterval* off = thread && tile.off ? &thread->off[tile.off - 1] : nullptr;
      builder.add(thread ? thread->comm : "[no thread]", off ? off->ustack : 0,
                  off ? off->kstack : 0, state_leaf(tile.state), ms * per_request, baseline);
    }
  }
  if (!wall) return;
  if (samples == 0) {
    builder.add("[on CPU, no samples]", 0, 0, {}, on_cpu_ms * per_request, baseline);
    return;
  }
  for (const auto& [sample, times] : met) {
    add_sample(trace, *sample, times / samples * on_cpu_ms * per_request, baseline, builder);
  }
}

void fill(const Trace& trace, const FlameOptions& options, FlameBuilder& builder, FlameData& out) {
  const bool everything = options.tail_percentile <= 0 && !options.diff_body;
  if (everything && options.kind == FlameKind::kOnCpu) return all_samples(trace, options, builder);
  if (everything && options.kind == FlameKind::kOffCpu) {
    out.subtitle += ", without threads that wait for work";
    return all_off_cpu(trace, options, builder);
  }
  const Selection s = select(trace, options);
  const bool wall = options.kind == FlameKind::kWall;
  out.subtitle += fmt::format(", {} requests", count_words(s.slow.size()));
  if (options.diff_body)
    out.subtitle += fmt::format(" against {} ordinary ones", count_words(s.body.size()));
  if (options.kind == FlameKind::kOnCpu) {
    samples_of_requests(trace, s.slow, !options.diff_body, false, builder);
    if (options.diff_body) samples_of_requests(trace, s.body, false, true, builder);
    return;
  }
  out.subtitle += ", mean ms a request";
  time_of_requests(trace, s.slow, wall, false, builder);
  if (options.diff_body) time_of_requests(trace, s.body, wall, true, builder);
}

const char* kind_words(FlameKind kind) {
  switch (kind) {
    case FlameKind::kOnCpu: return "on-CPU";
    case FlameKind::kOffCpu: return "off-CPU";
    case FlameKind::kWall: return "wall clock";
  }
  return "";
}

}  // namespace

FlameData flame(const Trace& trace, const FlameOptions& options) {
  FlameData out;
  out.differential = options.diff_body;
  out.unit = options.kind == FlameKind::kOnCpu ? "samples" : "ms";
  const auto comm = trace.meta.find("target.comm");
  out.title =
      fmt::format("{}{}{}", comm == trace.meta.end() ? "" : comm->second + ", ",
                  kind_words(options.kind), options.diff_body ? ", slow against ordinary" : "");
  out.subtitle = options.route.empty() ? "all routes" : options.route;
  if (!options.phase.empty()) out.subtitle += ", phase " + options.phase;
  if (options.tail_percentile > 0) {
    out.subtitle += fmt::format(", above p{:g}", options.tail_percentile);
  }
  FlameBuilder builder(trace);
  fill(trace, options, builder, out);
  builder.finish(out);
  return out;
}

}  // namespace srvprof
