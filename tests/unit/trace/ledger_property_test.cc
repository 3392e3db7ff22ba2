// What holds for every request of every trace: its tiles add up to its latency to the nanosecond.
#include <gtest/gtest.h>

#include "random_trace.h"
#include "trace_text.h"

namespace srvprof {
namespace {

bool equal_who(const Who& a, const Who& b) {
  return a.kind == b.kind && a.id == b.id && a.estimated == b.estimated;
}

bool should_be_one(const Tile& a, const Tile& b) {
  return a.phase == b.phase && a.state == b.state && a.worker_state == b.worker_state &&
         a.split_unknown == b.split_unknown && a.echo_of == b.echo_of && equal_who(a.who, b.who);
}

Time phase_begin(const Request& r, LifePhase phase) {
  switch (phase) {
    case LifePhase::kAccept: return r.t_arrive;
    case LifePhase::kReady: return r.t_accepted;
    case LifePhase::kService: return r.t_read;
    case LifePhase::kWrite: return r.t_write;
  }
  return {};
}

Time phase_end(const Request& r, LifePhase phase) {
  switch (phase) {
    case LifePhase::kAccept: return r.t_accepted;
    case LifePhase::kReady: return r.t_read;
    case LifePhase::kService: return r.t_write;
    case LifePhase::kWrite: return r.t_done;
  }
  return {};
}

void check_who(const Trace& trace, const Tile& tile) {
  if (tile.who.kind == Who::Kind::kRequest) {
    EXPECT_GE(tile.who.id, 1U);
    EXPECT_LE(tile.who.id, trace.requests.size());
  }
  if (tile.who.kind == Who::Kind::kConn) {
    EXPECT_GE(tile.who.id, 1U);
    EXPECT_LE(tile.who.id, trace.conns.size());
  }
  EXPECT_LE(tile.thread.value, trace.threads.size());
  if (tile.off != 0) {
    ASSERT_TRUE(tile.thread);
    EXPECT_LE(tile.off, trace.thread(tile.thread).off.size());
  }
  if (tile.echo_of != 0) {
    ASSERT_TRUE(tile.thread);
    EXPECT_LE(tile.echo_of, trace.thread(tile.thread).stalls.size());
  }
}

void check_request(const Trace& trace, RequestId id) {
  const Request& r = trace.request(id);
  ASSERT_LE(r.t_arrive, r.t_accepted);
  ASSERT_LE(r.t_accepted, r.t_read);
  ASSERT_LE(r.t_read, r.t_write);
  ASSERT_LE(r.t_write, r.t_done);
  std::vector<Tile> tiles;
  tiles_of(trace, id, tiles);
  Time at = r.t_arrive;
  Ledger ledger;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Tile& tile = tiles[i];
    EXPECT_EQ(tile.begin, at);
    EXPECT_GT(tile.length, Duration{});
    at = tile.begin + tile.length;
    EXPECT_GE(tile.begin, phase_begin(r, tile.phase));
    EXPECT_LE(at, phase_end(r, tile.phase));
    check_who(trace, tile);
    if (i > 0) {
      EXPECT_FALSE(should_be_one(tiles[i - 1], tile)) << i << "\n" << tiles_text(trace, id);
    }
    ledger.add(tile);
  }
  EXPECT_EQ(at, r.t_done);
  EXPECT_EQ(ledger.total(), r.latency());
  EXPECT_LE(ledger.unnamed, ledger.total());
}

void check_threads(const Trace& trace) {
  for (const Thread& thread : trace.threads) {
    Time end{};
    for (const OffInterval& off : thread.off) {
      EXPECT_GE(off.t_out, end);
      EXPECT_LE(off.t_out, off.t_wake);
      EXPECT_LE(off.t_wake, off.t_throttle);
      EXPECT_LE(off.t_throttle, off.t_throttle_end);
      EXPECT_LE(off.t_throttle_end, off.t_in);
      EXPECT_LT(off.t_out, off.t_in);
      end = off.t_in;
    }
    for (std::size_t i = 1; i < thread.owners.size(); ++i) {
      EXPECT_LT(thread.owners[i - 1].t, thread.owners[i].t);
    }
    if (thread.t_known == Time::max() || known(thread.t_exit)) continue;
    const Time from = thread.t_known, to = std::max(trace.t_end, from);
    const ThreadTotals totals = totals_of(thread, from, to);
    EXPECT_EQ(totals.cpu + totals.steal + totals.runq + totals.throttled + totals.blocked,
              to - from);
  }
}

void check(const Trace& trace) {
  check_threads(trace);
  for (std::uint32_t i = 1; i <= trace.requests.size(); ++i) {
    check_request(trace, {i});
    if (testing::Test::HasFailure()) {
      FAIL() << "request " << i << "\n" << tiles_text(trace, {i});
    }
  }
}

class LedgerProperty : public testing::TestWithParam<RandomTrace::Options> {};

TEST_P(LedgerProperty, TilesAddUp) {
  std::size_t requests = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const Trace trace = RandomTrace(seed, GetParam()).build();
    requests += trace.requests.size();
    check(trace);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(requests, 1000U);
}

INSTANTIATE_TEST_SUITE_P(
    Random, LedgerProperty,
    testing::Values(RandomTrace::Options{},                           // loops
                    RandomTrace::Options{.threads = 1, .conns = 16},  // one loop
                    RandomTrace::Options{.threads = 12, .conns = 6},  // a thread a connection
                    RandomTrace::Options{.goroutines = true, .threads = 5},
                    RandomTrace::Options{.wild = true},
                    RandomTrace::Options{.goroutines = true, .wild = true, .threads = 5},
                    RandomTrace::Options{.wild = true, .threads = 12, .conns = 6}));

}  // namespace
}  // namespace srvprof
