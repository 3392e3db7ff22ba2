// One known fault a test: the cause is found with its evidence, and its look-alikes are not blamed.
#include <gtest/gtest.h>

#include <set>

#include "analyze/causes/cause.h"
#include "analyze/words.h"
#include "scenario.h"

namespace srvprof {
namespace {

constexpr std::size_t kRequests = 2000, kEvery = 20;

// The one group's finding `cause`, which must hold nearly all of the gap, alone.
const Finding* only(const Report& report, std::string_view cause) {
  if (report.groups.empty()) return nullptr;
  const Group& g = report.groups.front();
  EXPECT_TRUE(g.explained) << g.not_explained_why;
  const Finding* f = find(g, cause);
  EXPECT_NE(f, nullptr) << cause;
  for (const Finding& other : g.findings) {
    if (other.cause != cause) {
      ADD_FAILURE() << other.cause << " " << other.share;
    }
  }
  if (f) {
    EXPECT_GT(f->share, 0.9);
    EXPECT_FALSE(f->title.empty());
    EXPECT_FALSE(f->evidence.empty());
    EXPECT_FALSE(f->ruled_out.empty());
    EXPECT_FALSE(f->tries.empty());
    EXPECT_EQ(f->tail_requests, g.tail_requests);
    EXPECT_GE(f->requests * 10, f->tail_requests * 9);
  }
  return f;
}

TEST(Causes, EachHasWordsAndKnownLookAlikes) {
  std::set<std::string_view> ids;
  for (const Cause* c : all_causes()) {
    EXPECT_TRUE(ids.insert(c->id).second) << c->id;
    EXPECT_FALSE(c->title.empty());
    EXPECT_FALSE(c->doc.empty());
    EXPECT_EQ(find_cause(c->id), c);
    if (c->claims) {
      EXPECT_TRUE(c->describe && c->innocent) << c->id;
      EXPECT_FALSE(c->look_alikes.empty()) << c->id;
    }
    for (const auto other : c->look_alikes) {
      EXPECT_TRUE(find_cause(other)) << c->id << " " << other;
      EXPECT_NE(other, c->id);
    }
  }
  EXPECT_EQ(find_cause("astrology"), nullptr);
}

TEST(Causes, Stopped) {
  Scenario s;
  s.process(77, "pauser");
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kStopped, 40ms, task(77)}});
  s.trace.signals.push_back({s.at(1s), 100, 19, 77, 77, "pauser"});
  const Report r = s.report();
  const Finding* f = only(r, "stopped");
  ASSERT_TRUE(f);
  EXPECT_NE(f->title.find("pauser (pid 77)"), std::string::npos);
  ASSERT_EQ(f->culprits.size(), 1u);
  EXPECT_EQ(f->culprits[0].pid, 77u);
}

TEST(Causes, StoppedBySomebodySeenInTheSignals) {
  Scenario s;
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kStopped, 40ms}});
  s.trace.signals.push_back({s.at(1s), 100, 19, 55, 55, "kill"});
  s.trace.signals.push_back({s.at(1100ms), 100, 18, 56, 56, "other"});  // SIGCONT does not stop
  const Report r = s.report();
  const Finding* f = only(r, "stopped");
  ASSERT_TRUE(f && f->culprits.size() == 1);
  EXPECT_EQ(f->culprits[0].pid, 55u);
}

TEST(Causes, AcceptQueueOwnsAllOfTheAcceptWait) {
  Scenario s(4s);
  s.trace.cgroup_cpu.push_back({s.at(0s), "/web", 50'000'000, 100'000'000, 0, 0, 0});
  s.trace.cgroup_cpu.push_back({s.at(4s), "/web", 50'000'000, 100'000'000, 40, 30, 1'000'000'000});
  const RouteId route = s.route("GET /hello");
  RequestId before{1};
  for (int i = 0; i < 100; ++i) {  // a burst: each waits longer than the one before, the first not
    const Duration wait = 8ms * i;
    before = s.request(route, 10us * i,
                       {{State::kThrottled, wait / 4 + 1us, {}, LifePhase::kAccept},
                        {State::kBehind, wait * 3 / 4 + 1us, owner(before), LifePhase::kAccept},
                        {State::kCpu, 1ms}});
    s.last().first = true;
    s.last().t_accepted = s.last().t_arrive + wait + 2us;
  }
  const Report r = s.report();
  ASSERT_EQ(r.groups.size(), 1u);
  const Group& g = r.groups[0];
  EXPECT_TRUE(g.first_requests);
  const Finding *tail = find(g, "accept-queue"), *body = find(g, "accept-queue", true);
  ASSERT_TRUE(tail && body);
  EXPECT_GT(tail->share, 0.9);
  EXPECT_GT(body->share, 0.9);
  for (const char* other : {"cpu-quota", "behind-same-route", "behind-other-route"}) {
    EXPECT_FALSE(find(g, other) || find(g, other, true)) << other;
  }
  EXPECT_TRUE(mentions(body->evidence, "up to 99 connections"));
  EXPECT_TRUE(mentions(body->evidence, "throttled"));
}

TEST(Causes, CpuQuota) {
  Scenario s;
  s.process(77, "hog");
  for (int i = 0; i <= 10; ++i) {
    const auto n = static_cast<std::uint64_t>(i);
    s.trace.cgroup_cpu.push_back(
        {s.at(1s * i), "/web", 50'000'000, 100'000'000, n * 10, n * 9, n * 400'000'000});
  }
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kThrottled, 40ms}, {State::kRunqWake, 400us, task(77)}});
  const Report r = s.report();
  const Finding* f = only(r, "cpu-quota");
  ASSERT_TRUE(f);
  EXPECT_TRUE(mentions(f->evidence, "0.5 CPUs"));
  EXPECT_TRUE(mentions(f->evidence, "throttled in 90 of 100 periods"));
  EXPECT_TRUE(mentions(f->ruled_out, "other processes held its CPU for 0.40 ms"));
}

TEST(Causes, StealOnlyIfTheCountersAgree) {
  for (const bool agree : {true, false}) {
    Scenario s;
    s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kSteal, 10ms}});
    s.trace.counters.push_back({s.at(0s), "steal_ns.cpu0", 5'000});
    s.trace.counters.push_back({s.at(10s), "steal_ns.cpu0", agree ? 1'000'005'000u : 6'000u});
    const Report r = s.report();
    if (agree) {
      EXPECT_TRUE(only(r, "steal"));
    } else {
      EXPECT_TRUE(r.groups[0].findings.empty());
    }
  }
}

TEST(Causes, RunQueueBehindOwnThreads) {
  Scenario s;
  const std::vector<std::uint32_t> clones{301, 302, 303};
  s.thread(110, "libuv-worker", ThreadRole::kPoolWorker);
  for (const std::uint32_t tid : clones) {
    const ThreadId id = s.thread(tid, "node", ThreadRole::kHelper);
    Thread& t = s.trace.threads[id.value - 1];
    t.parent = 110;
    t.t_born = s.at(100ms);
    t.t_exit = s.at(130ms);
  }
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kRunqWake, 15ms, task(301)},
           {State::kRunqPreempt, 15ms, task(302)},
           {State::kRunqWake, 10ms, task(303)}});
  const Report r = s.report();
  const Finding* f = only(r, "runq-own-threads");
  ASSERT_TRUE(f);
  ASSERT_EQ(f->culprits.size(), 1u);
  EXPECT_EQ(f->culprits[0].what,
            "3 short-lived threads named node (cloned by libuv-worker (tid 110))");
  EXPECT_NEAR(f->culprits[0].share_of_gap, 1.0, 0.05);
  EXPECT_TRUE(mentions(f->ruled_out, "no CPU quota") ||
              mentions(f->ruled_out, "no throttled time"));
  EXPECT_TRUE(mentions(f->ruled_out, "the loop ran no other route's code"));
}

// Go names all of its threads alike: what each does tells them apart.
TEST(Causes, RunQueueBehindOwnThreadsOfTwoRoles) {
  Scenario s;
  const ThreadId sysmon = s.thread(301, "server", ThreadRole::kMonitor);
  s.trace.threads[sysmon.value - 1].role_words = "Go's sysmon";
  s.thread(302, "server", ThreadRole::kServing);
  s.thread(303, "server", ThreadRole::kServing);
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kRunqWake, 5ms, task(301)},
           {State::kRunqPreempt, 15ms, task(302)},
           {State::kRunqWake, 10ms, task(303)}});
  const Report r = s.report();
  const Finding* f = only(r, "runq-own-threads");
  ASSERT_TRUE(f);
  ASSERT_EQ(f->culprits.size(), 2u);
  EXPECT_EQ(f->culprits[0].what, "2 serving threads named server");
  EXPECT_EQ(f->culprits[1].what, "1 Go's sysmon named server");
}

TEST(Causes, RunQueueBehindTheLoadGenerator) {
  Scenario s;
  s.process(77, "wrk", true);
  s.trace.tasks[78] = {78, 77, 0, 0, 0, 0, "wrk"};  // a thread of it
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kRunqWake, 12ms, task(78)}});
  const Report r = s.report();
  const Finding* f = only(r, "runq-load-generator");
  ASSERT_TRUE(f);
  EXPECT_NE(f->title.find("wrk, pid 77"), std::string::npos);
}

TEST(Causes, RunQueueBehindANeighbour) {
  Scenario s;
  s.process(77, "ffmpeg", false, "/batch");
  s.kernel_thread(9, "kworker/0:1");
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kRunqWake, 12ms, task(77)}, {State::kRunqPreempt, 2ms, task(9)}});
  const Report r = s.report();
  const Finding* f = only(r, "runq-neighbour");
  ASSERT_TRUE(f);
  ASSERT_EQ(f->culprits.size(), 2u);
  EXPECT_EQ(f->culprits[0].pid, 77u);
  EXPECT_EQ(f->culprits[0].comm, "ffmpeg");
  EXPECT_EQ(f->culprits[0].cgroup, "/batch");
  EXPECT_NEAR(f->culprits[0].share_of_gap, 12.0 / 14, 0.02);
  EXPECT_EQ(f->culprits[1].what, "kernel thread");
}

TEST(Causes, AnIdleCpuWakingUpIsNobodysFault) {
  Scenario s;
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kRunqWake, 12ms, {Who::Kind::kIdle, false, 0}}});
  const Report r = s.report();
  EXPECT_TRUE(r.groups[0].explained);
  EXPECT_TRUE(r.groups[0].findings.empty());
}

TEST(Causes, BehindAnotherRoute) {
  Scenario s;
  const RouteId health = s.route("GET /health"), login = s.route("POST /login");
  RequestId hash{};
  for (int i = 0; i < 2000; ++i) {
    if (i % 40 == 20) {
      hash = s.request(login, 5ms * i, {{State::kCpu, 30ms}});
    }
    if (i % 40 == 21) {
      s.request(health, 5ms * i,
                {{State::kBehind, 25ms, owner(hash), LifePhase::kReady}, {State::kCpu, 1ms}});
    } else {
      s.request(health, 5ms * i, {{State::kCpu, 1ms}});
    }
  }
  const Report r = s.report();
  EXPECT_EQ(r.groups[0].route, "GET /health");
  const Finding* f = only(r, "behind-other-route");
  ASSERT_TRUE(f);
  EXPECT_NE(f->title.find("POST /login"), std::string::npos);
  EXPECT_EQ(f->culprits[0].what, "POST /login");
  EXPECT_EQ(f->stalls, 20u);  // one stall for each login that a slow request met
  EXPECT_TRUE(mentions(f->ruled_out, "own threads held its CPU for 0 ms"));
}

TEST(Causes, BehindTheSameRouteTellsTheUtilisation) {
  Scenario s;
  const RouteId route = s.route("GET /a");
  s.mixed(route, kRequests, kEvery, {{State::kBehind, 9ms, owner(RequestId{3})}});
  OffInterval half;  // the loop slept through the second half
  half.t_out = s.at(5s);
  half.t_wake = half.t_in = half.t_throttle = half.t_throttle_end = s.at(10s);
  half.idle = true;
  s.trace.threads[0].off.push_back(half);
  const Report r = s.report();
  const Finding* f = only(r, "behind-same-route");
  ASSERT_TRUE(f);
  EXPECT_TRUE(mentions(f->evidence, "was on CPU 50 % of the phase"));
}

TEST(Causes, BehindNobodyKnownIsNotClaimed) {
  Scenario s;
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kBehind, 9ms}, {State::kBehind, 9ms, {Who::Kind::kTimer, false, 0}}});
  const Report r = s.report();
  EXPECT_TRUE(r.groups[0].findings.empty());
  EXPECT_GT(r.groups[0].unexplained_share, 0.4);
}

TEST(Causes, Downstream) {
  Scenario s;
  s.process(77, "postgres");
  Conn db;
  db.id = 2;
  db.outgoing = true;
  db.remote_addr = "127.0.0.1";
  db.remote_port = 5432;
  db.peer_pid = 77;
  s.trace.conns.push_back(db);
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kDownstream, 30ms, {Who::Kind::kConn, false, 2}}});
  const Report r = s.report();
  const Finding* f = only(r, "downstream");
  ASSERT_TRUE(f);
  EXPECT_NE(f->title.find("127.0.0.1:5432 (postgres, pid 77)"), std::string::npos);
  EXPECT_EQ(f->culprits[0].what, "127.0.0.1:5432");
}

TEST(Causes, LockNamesTheHolderAndWhatItDid) {
  Scenario s;
  const ThreadId holder = s.thread(110, "writer", ThreadRole::kHelper);
  rows::Stack stack;
  stack.hash = 5;
  stack.pcs = {1, 2, 3};
  s.trace.stacks[5] = stack;
  const auto frame = [&](std::uint64_t pc, const char* function) {
    rows::Frame f;
    f.pc = pc;
    f.function = function;
    s.trace.frames[{0, pc}] = {f};
  };
  frame(1, "schedule");
  frame(2, "hrtimer_nanosleep");
  frame(3, "do_syscall_64");
  OffInterval asleep;  // it slept all the time while holding the lock
  asleep.t_out = s.at(0s);
  asleep.t_wake = asleep.t_in = asleep.t_throttle = asleep.t_throttle_end = s.at(10s);
  asleep.kstack = 5;
  s.trace.threads[holder.value - 1].off.push_back(asleep);
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kBlockedLock, 20ms, task(110)}});
  const Report r = s.report();
  const Finding* f = only(r, "lock");
  ASSERT_TRUE(f);
  EXPECT_NE(f->title.find("writer (tid 110)"), std::string::npos);
  EXPECT_EQ(f->culprits[0].tid, 110u);
  EXPECT_TRUE(mentions(f->evidence, "was blocked 100 % in hrtimer_nanosleep"));
}

TEST(Causes, PageFaultsBlockedOrMany) {
  Scenario blocked;
  blocked.mixed(blocked.route("GET /a"), kRequests, kEvery, {{State::kBlockedFault, 12ms}});
  EXPECT_TRUE(only(blocked.report(), "page-fault"));

  Scenario many;
  many.mixed(many.route("GET /a"), kRequests, kEvery, {{State::kCpu, 12ms}});
  for (Request& q : many.trace.requests) q.min_flt = q.latency() > 5ms ? 9000 : 3;
  const Report r = many.report();
  const Finding* f = only(r, "page-fault");
  ASSERT_TRUE(f);
  EXPECT_TRUE(mentions(f->evidence, "9000 minor"));
}

TEST(Causes, Disk) {
  Scenario s;
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kBlockedDisk, 12ms}});
  EXPECT_TRUE(only(s.report(), "disk"));
}

TEST(Causes, SlowReader) {
  Scenario s;
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kBackpressure, 12ms, {}, LifePhase::kWrite}});
  const Report r = s.report();
  const Finding* f = only(r, "slow-reader");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->culprits[0].what, "10.0.0.9");
}

TEST(Causes, PoolWithItsWorkersStates) {
  Scenario s;
  s.thread(110, "libuv-worker", ThreadRole::kPoolWorker);
  s.mixed(s.route("POST /login"), kRequests, kEvery,
          {{State::kPool, 30ms, task(110), LifePhase::kService, State::kCpu},
           {State::kPool, 10ms, task(110), LifePhase::kService, State::kRunqWake}});
  const Report r = s.report();
  const Finding* f = only(r, "pool");
  ASSERT_TRUE(f);
  EXPECT_NE(f->title.find("1 libuv-worker"), std::string::npos);
  EXPECT_TRUE(mentions(f->evidence, "worker on CPU: 30.0 ms"));
  EXPECT_TRUE(mentions(f->evidence, "worker waiting for a CPU: 10.0 ms"));
}

TEST(Causes, PoolWithoutAWorkerIsUnexplained) {
  Scenario s;
  s.mixed(s.route("POST /login"), kRequests, kEvery, {{State::kPool, 30ms}});
  EXPECT_TRUE(s.report().groups[0].findings.empty());
}

TEST(Causes, AThrottledWorkerIsTheQuotas) {
  Scenario s;
  s.thread(110, "libuv-worker", ThreadRole::kPoolWorker);
  s.mixed(s.route("POST /login"), kRequests, kEvery,
          {{State::kPool, 30ms, task(110), LifePhase::kService, State::kThrottled}});
  EXPECT_TRUE(only(s.report(), "cpu-quota"));
}

TEST(Causes, HandlerCpuWithItsSamples) {
  Scenario s;
  rows::Stack stack;
  stack.hash = 8;
  stack.pid = 100;
  stack.pcs = {40};
  s.trace.stacks[8] = stack;
  rows::Frame frame;
  frame.pid = 100;
  frame.pc = 40;
  frame.function = "render_page";
  s.trace.frames[{100, 40}] = {frame};
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kCpu, 12ms}});
  for (const Request& q : s.trace.requests) {
    if (q.latency() > 5ms) s.trace.samples.push_back({q.t_arrive + 3ms, 100, 0, 0, 8});
  }
  const Report r = s.report();
  const Finding* f = only(r, "handler-cpu");
  ASSERT_TRUE(f);
  EXPECT_TRUE(mentions(f->evidence, "13.0 ms, against 1.0 ms"));
  EXPECT_TRUE(mentions(f->evidence, "render_page 100 %"));
}

TEST(Causes, Sleep) {
  Scenario s;
  s.mixed(s.route("GET /a"), kRequests, kEvery, {{State::kBlockedSleep, 12ms}});
  EXPECT_TRUE(only(s.report(), "sleep"));
}

TEST(Causes, TheEchoOfAStallIsTheStalls) {
  Scenario s;
  s.process(77, "hog");
  Stall stall;
  stall.state = State::kRunqPreempt;
  stall.who = task(77);
  stall.off = 1;
  s.trace.threads[0].stalls.push_back(stall);
  OffInterval off;
  off.t_out = off.t_wake = s.at(100ms);
  off.t_in = s.at(105ms);
  s.trace.threads[0].off.push_back(off);
  Part runq{State::kRunqPreempt, 5ms, task(77)}, echo{State::kBehind, 10ms, owner(RequestId{2})};
  runq.off = 1;
  echo.echo_of = 1;
  s.mixed(s.route("GET /a"), kRequests, kEvery, {runq, echo});
  const Report r = s.report();
  const Finding* f = only(r, "runq-neighbour");
  ASSERT_TRUE(f);
  EXPECT_EQ(f->stalls, 1u);
  EXPECT_TRUE(mentions(f->evidence, "of it 10.0 ms in the queue"));
  EXPECT_EQ(r.groups[0].tail.of(State::kBehind), Duration(10ms));  // the ledger says what was
}

TEST(Causes, TwoCausesShareTheGap) {
  Scenario s;
  s.process(77, "hog");
  s.mixed(s.route("GET /a"), kRequests, kEvery,
          {{State::kRunqWake, 30ms, task(77)}, {State::kThrottled, 10ms}});
  const Report r = s.report();
  const Group& g = r.groups[0];
  ASSERT_EQ(g.findings.size(), 2u);
  EXPECT_EQ(g.findings[0].cause, "runq-neighbour");
  EXPECT_NEAR(g.findings[0].share, 0.75, 0.01);
  EXPECT_EQ(g.findings[1].cause, "cpu-quota");
  EXPECT_NEAR(g.findings[1].share, 0.25, 0.01);
  EXPECT_FALSE(mentions(g.findings[0].ruled_out, "throttled"));  // it has a finding of its own
}

TEST(Causes, Gc) {
  Scenario s;
  rows::Span span;
  span.t_begin = s.at(1s);
  span.t_end = s.at(1s + 9ms);
  span.tid = 100;
  span.name = "gc.pause";
  span.kind = "mark-compact";
  s.trace.spans.push_back(span);
  s.trace.meta["target.runtime"] = "node";
  s.mixed(s.route("GET /alloc"), 2000, 50, {{State::kCpu, 9ms}});
  for (auto& [id, tiles] : s.tiles) {
    for (Tile& t : tiles) {
      if (t.length == 9ms) t.gc = GcShare::kStop, t.span = 1;
    }
  }
  const Report report = s.report();
  const Finding* f = find(report.groups.front(), "gc");
  ASSERT_NE(f, nullptr);
  EXPECT_GT(f->share, 0.9);
  EXPECT_TRUE(f->title.find("mark-compact") != std::string::npos) << f->title;
  EXPECT_EQ(f->stalls, 1u);
  EXPECT_TRUE(mentions(f->evidence, "one mark-compact pause of 9.0 ms"));
  EXPECT_TRUE(mentions(f->tries, "max-old-space-size"));
  EXPECT_FALSE(f->ruled_out.empty());
  EXPECT_EQ(find(report.groups.front(), "handler-cpu"), nullptr);
  ASSERT_EQ(report.collections.size(), 1u);
  EXPECT_EQ(report.collections.front().count, 1u);
  EXPECT_EQ(report.collections.front().longest, Duration(9ms));
  EXPECT_EQ(report.groups.front().tail.gc_total(), Duration(9ms));
}

TEST(Causes, HandlerCpuSaysThatGcWasNotMeasured) {
  Scenario s;
  s.mixed(s.route("GET /a"), 2000, 50, {{State::kCpu, 9ms}});
  const Report unmeasured = s.report();
  const Finding* f = find(unmeasured.groups.front(), "handler-cpu");
  ASSERT_NE(f, nullptr);
  EXPECT_TRUE(mentions(f->ruled_out, "garbage collection was not measured"));
  s.trace.capabilities.push_back({"gc", true, "node: ..."});
  const Report measured = s.report();
  f = find(measured.groups.front(), "handler-cpu");
  ASSERT_NE(f, nullptr);
  EXPECT_TRUE(mentions(f->ruled_out, "the garbage collector stopped it for"));
}

}  // namespace
}  // namespace srvprof
