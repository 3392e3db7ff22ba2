#include "trace/spans.h"

#include <algorithm>

#include "trace/timeline.h"

namespace srvprof {
namespace {

bool can_be_tagged(State state) {
  switch (state) {
    case State::kCpu:
    case State::kBehind:
    case State::kBlockedLock:
    case State::kBlockedDisk:
    case State::kBlockedFault:
    case State::kBlockedPipe:
    case State::kBlockedSleep:
    case State::kUnexplained: return true;
    default: return false;
  }
}

// Workers of the process are stopped with it, or collect: a wait for one is the collection's, but not the
// time in which that worker had no CPU.
bool can_be_tagged(const Tile& tile, bool whole_process) {
  if (tile.state == State::kPool) return whole_process && can_be_tagged(tile.worker_state);
  return can_be_tagged(tile.state);
}

// Operations of HotSpot's VM thread that collect: ZGC's pauses have no other mark.
bool is_collection(const rows::Span& span) {
  if (span.name != "vmop") return false;
  for (const std::string_view prefix : {"Z", "X", "G1", "Shenandoah", "Parallel", "Gen", "Serial"}) {
    if (span.kind.starts_with(prefix)) return true;
  }
  return false;
}

// Sorted and disjoint: a collection inside another is part of it.
void tidy(std::vector<GcInterval>& list) {
  std::stable_sort(list.begin(), list.end(), [](const GcInterval& a, const GcInterval& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  std::vector<GcInterval> out;
  for (GcInterval i : list) {
    if (!out.empty()) i.begin = std::max(i.begin, out.back().end);
    if (i.begin < i.end) out.push_back(i);
  }
  list = std::move(out);
}

// The tile waits for a CPU that a helper of the process's collector holds.
bool behind_helper(const Trace& trace, const Tile& tile) {
  if (tile.state != State::kRunqPreempt && tile.state != State::kRunqWake) return false;
  if (tile.who.kind != Who::Kind::kTask || !tile.thread) return false;
  return is_collector(trace, trace.thread(tile.thread).pid, tile.who.id, tile.begin);
}

// Cuts the untagged ones of `in` at the ends of the intervals.
void cut(const Trace& trace, const std::vector<GcInterval>& list, bool whole_process,
         std::vector<Tile>& tiles) {
  std::vector<Tile> out;
  out.reserve(tiles.size() + 4);
  for (const Tile& tile : tiles) {
    const Time end = tile.begin + tile.length;
    Time at = tile.begin;
    const bool behind = tile.gc == GcShare::kNone && behind_helper(trace, tile);
    const auto put = [&](Time to, const GcInterval* gc) {
      if (to <= at) return;
      Tile piece = tile;
      piece.begin = at;
      piece.length = to - at;
      if (gc != nullptr) {
        piece.gc = behind ? GcShare::kHelpers : gc->share;
        piece.span = gc->span;
      }
      out.push_back(piece);
      at = to;
    };
    if (tile.gc == GcShare::kNone && (behind || can_be_tagged(tile, whole_process))) {
      const std::uint32_t tid = tile.thread ? trace.thread(tile.thread).tid : 0;
      auto it = std::upper_bound(list.begin(), list.end(), at,
                                 [](Time t, const GcInterval& i) { return t < i.end; });
      for (; it != list.end() && it->begin < end; ++it) {
        if (whole_process && tile.state == State::kCpu && it->tid != tid) continue;
        put(it->begin, nullptr);
        put(std::min(end, it->end), &*it);
      }
    }
    put(end, nullptr);
  }
  tiles = std::move(out);
}

bool overlaps(const std::vector<GcInterval>& list, Time from, Time to) {
  const auto it = std::upper_bound(list.begin(), list.end(), from,
                                   [](Time t, const GcInterval& i) { return t < i.end; });
  return it != list.end() && it->begin < to;
}

}  // namespace

bool is_collector(const Trace& trace, std::uint32_t pid, std::uint32_t tid, Time t) {
  const ThreadId id = thread_at(trace, tid, t);
  return id && trace.thread(id).pid == pid && trace.thread(id).role == ThreadRole::kCollector;
}

GcInterval interval_of(const Trace& trace, std::uint32_t span) {
  const rows::Span& row = trace.spans[span - 1];
  GcInterval i;
  // Threads are stopped one after the other from when the stop is asked for.
  i.begin = known(row.t_stopping) && row.t_stopping < row.t_begin ? row.t_stopping : row.t_begin;
  i.end = known(row.t_end) ? row.t_end : trace.t_end;
  i.span = span;
  i.tid = row.tid;
  i.share = row.name == "gc.assist" ? GcShare::kAssist : GcShare::kStop;
  return i;
}

void find_collections(Trace& trace) {
  for (std::uint32_t n = 1; n <= trace.spans.size(); ++n) {
    const rows::Span& row = trace.spans[n - 1];
    const GcInterval i = interval_of(trace, n);
    if (!known(row.t_begin) || i.begin >= i.end) continue;
    if (row.name == "gc.stw" || is_collection(row)) {
      trace.gc_of_pid[row.pid].push_back(i);
    } else if (row.name == "gc.pause" || row.name == "gc.slice") {
      const ThreadId thread = thread_at(trace, row.tid, row.t_begin);
      if (thread) trace.threads[thread.value - 1].gc.push_back(i);
    } else if (row.name == "gc.assist" && row.g != 0) {
      trace.gc_of_g[row.g].push_back(i);
    }
  }
  for (Thread& thread : trace.threads) tidy(thread.gc);
  for (auto& [pid, list] : trace.gc_of_pid) tidy(list);
  for (auto& [g, list] : trace.gc_of_g) tidy(list);
}

void tag_collections(const Trace& trace, const Request& request, std::vector<Tile>& tiles) {
  if (trace.spans.empty()) return;
  const auto apply = [&](const std::vector<GcInterval>& list, bool whole_process) {
    if (overlaps(list, request.t_arrive, request.t_done)) cut(trace, list, whole_process, tiles);
  };
  // Pauses of one thread: tiles may be about several threads.
  std::vector<ThreadId> threads;
  std::uint32_t pid = request.conn ? trace.conn(request.conn).pid : 0;
  for (const Tile& tile : tiles) {
    if (!tile.thread || std::find(threads.begin(), threads.end(), tile.thread) != threads.end()) {
      continue;
    }
    threads.push_back(tile.thread);
    pid = trace.thread(tile.thread).pid;
  }
  for (const ThreadId id : threads) {
    const std::vector<GcInterval>& own = trace.thread(id).gc;
    if (own.empty() || !overlaps(own, request.t_arrive, request.t_done)) continue;
    std::vector<Tile> of_thread, all;
    for (const Tile& tile : tiles) {
      if (tile.thread != id) {
        all.push_back(tile);
        continue;
      }
      of_thread.assign(1, tile);
      cut(trace, own, false, of_thread);
      all.insert(all.end(), of_thread.begin(), of_thread.end());
    }
    tiles = std::move(all);
  }
  if (const auto found = trace.gc_of_pid.find(pid); found != trace.gc_of_pid.end()) {
    apply(found->second, true);
  }
  if (const auto found = trace.gc_of_g.find(request.g);
      request.g != 0 && found != trace.gc_of_g.end()) {
    apply(found->second, false);
  }
}

}  // namespace srvprof
