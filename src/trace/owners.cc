// Whom a thread works for, and when it idles.
#include <algorithm>

#include "trace/events.h"
#include "trace/flags.h"

namespace srvprof {
namespace {

using Kind = SocketEvent::Kind;

OwnerChange owner_of(const SocketEvent& e) {
  OwnerChange change;
  change.t = e.t;
  if (e.request) {
    change.kind = OwnerChange::Kind::kRequest;
    change.request = e.request;
  } else if (e.kind == Kind::kStray) {
    change.kind = OwnerChange::Kind::kUnsampled;
  } else {
    change.kind = OwnerChange::Kind::kConn;
    change.conn = e.conn;
  }
  return change;
}

bool same_owner(const OwnerChange& a, const OwnerChange& b) {
  return a.kind == b.kind && a.request == b.request && a.conn == b.conn;
}

// What threads idle in, by model. A thread per request idles only between requests.
bool may_idle_in(RuntimeModel model, bool has_events, const OffInterval& off) {
  switch (off.wait) {
    case Wait::kEvents:
    case Wait::kAccept:
      return has_events || off.wait == Wait::kAccept || model == RuntimeModel::kGoroutines;
    case Wait::kFutex:
      // A parked Go thread; a worker that waits for its next job.
      return !has_events || model != RuntimeModel::kEventLoop;
    case Wait::kSocket:
    case Wait::kSleep: return model == RuntimeModel::kThreadPerRequest && has_events;
    case Wait::kUnknown:
      return (off.flags & kOffNoStart) != 0 || model == RuntimeModel::kThreadPerRequest;
    default: return false;
  }
}

// Marks the idle intervals of one thread. `events` are its own, in time order.
void mark_idle(const Trace& trace, Thread& thread, const std::vector<const SocketEvent*>& events) {
  std::size_t next = 0;
  Time busy_until;  // end of the request in hand
  for (OffInterval& off : thread.off) {
    while (next < events.size() && events[next]->t <= off.t_out) {
      const SocketEvent& e = *events[next++];
      // What another thread will answer is no longer in this one's hands.
      const bool ours = e.request && trace.request(e.request).writer == e.thread;
      busy_until = ours ? trace.request(e.request).t_done : e.t;
    }
    if (off.t_wake <= off.t_out || !may_idle_in(trace.model, !events.empty(), off)) continue;
    off.idle = trace.model != RuntimeModel::kThreadPerRequest || busy_until <= off.t_out;
  }
}

void push(std::vector<OwnerChange>& owners, const OwnerChange& change) {
  if (!owners.empty() && owners.back().t == change.t) owners.pop_back();
  // What was inferred and is now observed is a change, too.
  const bool same = !owners.empty() && same_owner(owners.back(), change);
  if (same && owners.back().estimated == change.estimated) return;
  owners.push_back(change);
}

class OwnerLine {
 public:
  OwnerLine(Thread& thread, const std::vector<const SocketEvent*>& events)
      : thread_(thread), events_(events) {}

  void build() {
    for (std::size_t i = 0; i < thread_.off.size(); ++i) {
      const OffInterval& off = thread_.off[i];
      // A thread that was cloned now begins as one that was woken.
      if (!off.idle && (off.flags & kOffNew) == 0) continue;
      take_events(off.t_out);
      push(thread_.owners, {.t = off.t_out,
                            .request = {},
                            .conn = {},
                            .kind = OwnerChange::Kind::kIdle,
                            .estimated = false});
      take_events(off.t_wake);  // none, if no record was lost: who sleeps has no events
      push(thread_.owners, after(i));
    }
    take_events(Time::max());
  }

 private:
  void take_events(Time until) {
    for (; next_ < events_.size() && events_[next_]->t <= until; ++next_) {
      push(thread_.owners, owner_of(*events_[next_]));
    }
  }

  // From its wake-up on the thread works for its next event, if that comes before it idles again.
  OwnerChange after(std::size_t i) {
    const std::vector<OffInterval>& off = thread_.off;
    next_idle_ = std::max(next_idle_, i + 1);
    while (next_idle_ < off.size() && !off[next_idle_].idle) ++next_idle_;
    OwnerChange change;
    const bool idles_again = next_idle_ < off.size();
    if (next_ < events_.size() && (!idles_again || events_[next_]->t <= off[next_idle_].t_out)) {
      change = owner_of(*events_[next_]);
      change.estimated = true;
    }
    change.t = off[i].t_wake;
    return change;
  }

  Thread& thread_;
  const std::vector<const SocketEvent*>& events_;
  std::size_t next_ = 0, next_idle_ = 0;
};

// A network softirq that ends so shortly before a socket event of its thread is that call's own
// work.
constexpr Duration kOwnSoftirq = std::chrono::microseconds(20);
constexpr std::uint32_t kNetTx = 2, kNetRx = 3;

void drop_own_softirqs(Thread& thread, const std::vector<const SocketEvent*>& events) {
  std::erase_if(thread.irqs, [&](const IrqSpan& irq) {
    if (!irq.softirq || (irq.vector != kNetTx && irq.vector != kNetRx)) return false;
    const auto next = std::lower_bound(events.begin(), events.end(), irq.end,
                                       [](const SocketEvent* e, Time t) { return e->t < t; });
    return next != events.end() && (*next)->t - irq.end <= kOwnSoftirq;
  });
}

}  // namespace

void assign_owners(const Raw& raw, Trace& trace) {
  std::vector<SocketEvent> events = collect_events(raw, trace);
  attribute_exchanges(events, trace);
  std::vector<std::vector<const SocketEvent*>> by_thread(trace.threads.size());
  for (const SocketEvent& e : events) by_thread[e.thread.value - 1].push_back(&e);
  for (std::size_t i = 0; i < trace.threads.size(); ++i) {
    Thread& thread = trace.threads[i];
    mark_idle(trace, thread, by_thread[i]);
    drop_own_softirqs(thread, by_thread[i]);
    if (!by_thread[i].empty()) OwnerLine(thread, by_thread[i]).build();
  }
}

}  // namespace srvprof
