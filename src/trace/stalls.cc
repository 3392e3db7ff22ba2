// Stalls of the threads that read requests, and how long the queue behind each took to drain.
#include <algorithm>
#include <unordered_map>

#include "trace/raw.h"
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

void find_stalls_of(Trace& trace, ThreadId id, const std::vector<Arrival>& arrivals) {
  Thread& thread = trace.threads[id.value - 1];
  std::size_t idle = 0;
  for (std::uint32_t i = 1; i <= thread.off.size(); ++i) {
    Stall stall = stall_of(trace, id, i);
    if (stall.begin >= stall.end) continue;
    idle = std::max<std::size_t>(idle, i);
    while (idle < thread.off.size() && !thread.off[idle].idle) ++idle;
    const Time idles = idle < thread.off.size() ? thread.off[idle].t_out : Time::max();
    stall.echo_end = echo_end(stall, arrivals, idles);
    thread.stalls.push_back(stall);
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
