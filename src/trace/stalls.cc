// Stalls of the threads that read requests, and how long the queue behind each took to drain.
#include <algorithm>
#include <unordered_map>

#include "trace/raw.h"
#include "trace/spans.h"
#include "trace/stop.h"
#include "trace/timeline.h"

namespace srvprof {
namespace {

constexpr Duration kStallMin = std::chrono::milliseconds(1);
constexpr int kEchoFactor = 3;             // an echo lasts at most so many times its stall
constexpr std::size_t kPendingMax = 1024;  // requests looked at before a stall

struct Arrival {
  Time arrive, read;
};

Who main_occupant(const Trace& trace, ThreadId thread, const OffInterval& off) {
  std::unordered_map<std::uint32_t, Duration> held;
  Occupants occupants(trace, thread, off, off.t_throttle_end, off.t_in);
  Who best;
  Duration most{};
  for (Occupancy o; occupants.next(o);) {
    Duration& sum = held[o.who.kind == Who::Kind::kTask ? o.who.id : 0];
    sum += o.end - o.begin;
    if (sum > most) {
      most = sum;
      best = o.who;
    }
  }
  return best;
}

// The stall that an interval is, if it is one (begin < end).
Stall stall_of(const Trace& trace, ThreadId thread, std::uint32_t index) {
  const OffInterval& off = trace.thread(thread).off[index - 1];
  const Duration stopped = off.wait == Wait::kStopped ? off.t_wake - off.t_out : Duration{};
  const Duration throttled = off.t_throttle_end - off.t_throttle;
  const Duration queued = off.t_in - off.t_throttle_end;
  Stall stall;
  if (stopped + throttled + queued < kStallMin) return stall;
  stall.begin = stopped != Duration{} ? off.t_out : off.t_wake;
  stall.end = off.t_in;
  stall.off = index;
  if (stopped >= throttled && stopped >= queued) {
    stall.state = State::kStopped;
    stall.who = who_stopped(trace, trace.thread(thread), off);
  } else if (throttled >= queued) {
    stall.state = State::kThrottled;
  } else {
    stall.state = runq_state(off);
    stall.who = main_occupant(trace, thread, off);
  }
  return stall;
}

// Works off what arrived during the stall, then what arrived meanwhile, until the queue is empty.
// Only where the stall made the queue: not where more had been waiting before it than came during
// it.
Time echo_end(const Stall& stall, const std::vector<Arrival>& arrivals, Time idle) {
  const auto first = std::lower_bound(arrivals.begin(), arrivals.end(), stall.begin,
                                      [](const Arrival& a, Time t) { return a.arrive < t; });
  std::size_t pending = 0, looked = 0;
  for (auto it = first; it != arrivals.begin() && looked < kPendingMax; ++looked) {
    --it;
    pending += it->read > stall.begin;
  }
  std::size_t during = 0;
  for (auto it = first; it != arrivals.end() && it->arrive < stall.end; ++it) ++during;
  if (during < 2 || during <= pending) return stall.end;
  const Time limit = std::min(idle, stall.end + kEchoFactor * (stall.end - stall.begin));
  Time end = stall.end;
  for (auto it = first; it != arrivals.end() && it->arrive < end && end < limit; ++it) {
    end = std::max(end, std::min(it->read, limit));
  }
  return std::max(end, stall.end);
}

// Puts a collection among the stalls, if the thread collected for longer than it was kept from the CPU
// meanwhile: then the stalls inside are parts of it, else it is one of their causes only in name.
void add_collection(const Trace& trace, std::uint32_t pid, const GcInterval& gc,
                    std::vector<Stall>& stalls) {
  const auto overlap = [&](const Stall& s) {
    return std::max(Duration{}, std::min(s.end, gc.end) - std::max(s.begin, gc.begin));
  };
  // Stalls are disjoint and sorted: those that overlap are neighbours.
  const auto first = std::lower_bound(stalls.begin(), stalls.end(), gc.begin,
                                      [](const Stall& s, Time t) { return s.end <= t; });
  auto last = first;
  Duration collected = gc.end - gc.begin, longest{};
  for (; last != stalls.end() && last->begin < gc.end; ++last) {
    // Queued behind the collector's own helpers is collecting.
    if (last->who.kind == Who::Kind::kTask && is_collector(trace, pid, last->who.id, last->begin)) continue;
    collected -= overlap(*last);
    longest = std::max(longest, last->end - last->begin);
  }
  if (collected < kStallMin || collected <= longest) return;
  Stall stall;
  stall.begin = gc.begin;
  stall.end = gc.end;
  stall.state = State::kCpu;
  stall.span = gc.span;
  stalls.insert(stalls.erase(first, last), stall);
}

void find_stalls_of(Trace& trace, ThreadId id, const std::vector<Arrival>& arrivals) {
  Thread& thread = trace.threads[id.value - 1];
  for (std::uint32_t i = 1; i <= thread.off.size(); ++i) {
    const Stall stall = stall_of(trace, id, i);
    if (stall.begin < stall.end) thread.stalls.push_back(stall);
  }
  const auto add_all = [&](const std::vector<GcInterval>& list) {
    for (const GcInterval& gc : list) {
      if (gc.end - gc.begin >= kStallMin) add_collection(trace, thread.pid, gc, thread.stalls);
    }
  };
  add_all(thread.gc);
  const auto stopped = trace.gc_of_pid.find(thread.pid);
  if (stopped != trace.gc_of_pid.end()) add_all(stopped->second);
  for (Stall& stall : thread.stalls) {
    auto idle = std::lower_bound(thread.off.begin(), thread.off.end(), stall.end,
                                 [](const OffInterval& o, Time t) { return o.t_out < t; });
    while (idle != thread.off.end() && !idle->idle) ++idle;
    stall.echo_end = echo_end(stall, arrivals, idle != thread.off.end() ? idle->t_out : Time::max());
  }
}

}  // namespace

void find_stalls(Trace& trace) {
  std::vector<std::vector<Arrival>> arrivals(trace.threads.size() + 1);
  for (const Request& r : trace.requests) {
    arrivals[r.reader.value].push_back({.arrive = r.t_arrive, .read = r.t_read});
  }
  for (std::uint32_t i = 1; i < arrivals.size(); ++i) {
    if (!arrivals[i].empty()) find_stalls_of(trace, {i}, arrivals[i]);
  }
}

}  // namespace srvprof
