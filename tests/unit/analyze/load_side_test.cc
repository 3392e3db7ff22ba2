#include "analyze/load_side.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analyze/percentiles.h"
#include "loadgen/loadgen.h"
#include "scenario.h"

namespace srvprof {
namespace {

constexpr std::int64_t kEpoch = 1'700'000'000'000'000'000;  // wall clock at t_begin

// Requests of several connections, by arrival; each of them 1 ms, or until the end of the stall (80
// ms at the begin of each second from 0.5 s on) that it comes into.
class Load {
 public:
  explicit Load(Duration length) : s_(length) {
    s_.trace.clocks.push_back({s_.trace.t_begin, kEpoch});
    s_.trace.conns.clear();
  }

  static Duration served(Duration at, bool stalls) {
    const Duration phase = (at + 500ms) % 1s;
    return stalls && phase < 80ms ? 80ms - phase + 1ms : 1ms;
  }

  // `n` connections that wait for the answer and then 9 ms.
  void closed(int n, Duration from, Duration to, bool stalls = true) {
    for (int c = 0; c < n; ++c) {
      const ConnId conn = connection(77);
      for (Duration t = from + 10ms * c / n; t < to;) {
        const Duration took = served(t, stalls);
        sent_.push_back({t, took, conn});
        t += took + 9ms;
      }
    }
  }
  // `rate` requests a second whatever the server does, over n connections.
  void open(int n, double rate, Duration from, Duration to) {
    std::vector<ConnId> conns;
    for (int c = 0; c < n; ++c) conns.push_back(connection(78));
    std::mt19937 random(7);
    std::exponential_distribution<double> gap(rate);
    for (Duration t = from; t < to;) {
      sent_.push_back({t, served(t, true), conns[sent_.size() % conns.size()]});
      t += Duration(static_cast<std::int64_t>(gap(random) * 1e9));
    }
  }
  ConnId connection(std::uint32_t peer) {
    Conn conn;
    conn.id = static_cast<std::uint32_t>(s_.trace.conns.size() + 1);
    conn.peer_pid = peer;
    s_.trace.conns.push_back(conn);
    return ConnId{conn.id};
  }
  Scenario& build() {
    std::stable_sort(sent_.begin(), sent_.end(),
                     [](const Sent& a, const Sent& b) { return a.t < b.t; });
    const RouteId route = s_.route("GET /");
    for (const Sent& r : sent_) {
      s_.request(route, r.t, {{State::kCpu, r.took}});
      s_.last().conn = r.conn;
    }
    return s_;
  }
  // What the client's own file says, 0.2 ms around each request.
  std::string csv(std::uint32_t peer) const {
    std::string out = "start_unix_ns,latency_ns,status,path\n";
    for (const Sent& r : sent_) {
      if (s_.trace.conn(r.conn).peer_pid != peer) continue;
      out += fmt::format("{},{},200,/\n", kEpoch + r.t.count() - 100'000, r.took.count() + 200'000);
    }
    return out;
  }
  std::vector<Duration> latencies(std::uint32_t peer) const {
    std::vector<Duration> out;
    for (const Sent& r : sent_) {
      if (s_.trace.conn(r.conn).peer_pid == peer) out.push_back(r.took);
    }
    std::sort(out.begin(), out.end());
    return out;
  }
  std::size_t size() const { return sent_.size(); }

 private:
  struct Sent {
    Duration t, took;
    ConnId conn;
  };
  Scenario s_;
  std::vector<Sent> sent_;
};

LoadView joined(const Scenario& s, const std::string& text, const std::string& name) {
  Result<ClientRun> run = import_run(text, name);
  EXPECT_TRUE(run.ok()) << (run.ok() ? "" : run.error().what);
  const std::vector<LoadInput> inputs{{name, run.ok() ? *run : ClientRun{}}};
  ReportOptions options;
  options.loads = &inputs;
  const Report report = s.report(options);
  EXPECT_EQ(report.loads.size(), 1u);
  return report.loads.empty() ? LoadView{} : report.loads.front();
}

std::string wrk_text(std::uint64_t requests, int connections, double seconds) {
  return fmt::format(
      "Running 10s test @ http://127.0.0.1:3000/\n  2 threads and {} connections\n"
      "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
      "    Latency     1.00ms    0.50ms   9.00ms   90.00%\n"
      "    Req/Sec     1.00k     0.10k     1.20k    70.00%\n"
      "  Latency Distribution\n     50%    1.00ms\n     75%    1.10ms\n     90%    1.20ms\n"
      "     99%    9.00ms\n  {} requests in {:.2f}s, 1.00MB read\nRequests/sec:  1000.00\n"
      "Transfer/sec:      0.10MB\n",
      connections, requests, seconds);
}

const BothEnds& at(const LoadPart& part, double p) {
  for (const BothEnds& b : part.percentiles) {
    if (b.p == p) return b;
  }
  ADD_FAILURE() << "no p" << p;
  static const BothEnds kNone;
  return kNone;
}

TEST(LoadSide, CountsAgreeWithinWhatWasInFlight) {
  Load load(10s);
  load.closed(8, 0s, 10s, false);
  const Scenario& s = load.build();
  const LoadView v = joined(s, wrk_text(load.size() - 5, 8, 10), "wrk.txt");
  EXPECT_TRUE(v.counts_agree);
  EXPECT_EQ(v.open_at_end, 8u);
  EXPECT_TRUE(mentions(v.count_lines, "5 more were recorded"));
  EXPECT_FALSE(joined(s, wrk_text(load.size() - 30, 8, 10), "wrk.txt").counts_agree);
  const LoadView fewer = joined(s, wrk_text(load.size() + 3, 8, 10), "wrk.txt");
  EXPECT_FALSE(fewer.counts_agree);
  EXPECT_TRUE(mentions(fewer.count_lines, "3 requests fewer"));
}

TEST(LoadSide, AStallOfAClosedLoopIsSeenAsIntended) {
  Load load(20s);
  load.closed(8, 0s, 20s);
  load.open(40, 300, 0s, 20s);
  const Scenario& s = load.build();
  const LoadView v = joined(s, load.csv(77), "client.csv");
  EXPECT_EQ(v.loop, LoopKind::kClosed) << v.loop_why;
  const std::vector<Duration> truth = load.latencies(78);
  for (const double p : {99.0, 99.9}) {
    const BothEnds& b = at(v.whole, p);
    ASSERT_TRUE(b.server_intended && b.client_intended && b.server && b.client);
    const double open = to_ms(truth[rank_of(p, truth.size())]);
    EXPECT_NEAR(to_ms(*b.server_intended) / open, 1, 0.15) << p;
    EXPECT_NEAR(to_ms(*b.client_intended) / open, 1, 0.15) << p;
  }
  EXPECT_TRUE(v.client_estimate);
  EXPECT_EQ(v.recorded, load.latencies(77).size());
}

TEST(LoadSide, AnOpenLoopHasNoEstimate) {
  Load load(20s);
  load.open(40, 300, 0s, 20s);
  const Scenario& s = load.build();
  const LoadView v = joined(s, load.csv(78), "client.csv");
  EXPECT_EQ(v.loop, LoopKind::kOpen) << v.loop_why;
  EXPECT_FALSE(at(v.whole, 99).server_intended);
  EXPECT_FALSE(at(v.whole, 99).client_intended);
}

TEST(LoadSide, WallClockTimesAreAligned) {
  Load load(10s);
  load.closed(4, 2s, 6s, false);
  load.closed(4, 7s, 9s, false);
  const Scenario& s = load.build();
  std::string csv = "start_unix_ns,latency_ns,status,path\n";
  std::size_t n = 0;
  for (const Request& r : s.trace.requests) {
    if (r.t_arrive >= s.at(6500ms)) continue;
    csv += fmt::format("{},1200000,200,/\n", kEpoch + (r.t_arrive - s.trace.t_begin).count());
    ++n;
  }
  const LoadView v = joined(s, csv, "first.csv");
  EXPECT_EQ(v.recorded, n);
  EXPECT_TRUE(v.counts_agree);
  EXPECT_NE(v.aligned.find("wall-clock"), std::string::npos);
}

TEST(LoadSide, WithoutAClockTheLengthDecides) {
  Load load(12s);
  load.closed(4, 1s, 3s, false);
  load.closed(8, 5s, 11s, false);
  const Scenario& s = load.build();
  const std::size_t second = static_cast<std::size_t>(
      std::count_if(s.trace.requests.begin(), s.trace.requests.end(),
                    [&](const Request& r) { return r.t_arrive >= s.at(4s); }));
  const LoadView v = joined(s, wrk_text(second - 4, 8, 6), "wrk.txt");
  EXPECT_EQ(v.recorded, second);
  EXPECT_TRUE(v.counts_agree);
  EXPECT_NE(v.aligned.find("no clock"), std::string::npos);
}

TEST(LoadSide, TheDifferenceIsToldInWords) {
  Load load(10s);
  load.closed(8, 0s, 10s, false);
  Scenario& s = load.build();
  s.process(77, "client", true);
  for (int i = 1; i <= 10; ++i) {
    s.trace.cpu_use.push_back(
        {s.at(1s * i), 77, "client", 300'000'000, 900'000'000, 1'000'000'000});
  }
  const LoadView same = joined(s, wrk_text(load.size(), 8, 10), "wrk.txt");
  EXPECT_TRUE(mentions(same.gap, "never measured"));
  std::string csv = "start_unix_ns,latency_ns,status\n";
  for (const Request& r : s.trace.requests) {
    csv += fmt::format("{},5000000,200\n", kEpoch + (r.t_arrive - s.trace.t_begin).count());
  }
  const LoadView v = joined(s, csv, "slow.csv");
  EXPECT_TRUE(mentions(v.gap, "4.0 ms of the client's p99 of 5.0 ms (80 %) lie outside"));
  EXPECT_TRUE(mentions(v.gap, "longer than they ran"));
}

TEST(LoadSide, CapturedOutputIsJoinedAndUnknownOutputIsSaid) {
  Load load(10s);
  load.closed(8, 1s, 9s, false);
  Scenario& s = load.build();
  rows::Load row;
  row.t_start = s.at(900ms);
  row.t_end = s.at(9100ms);
  row.pid = 77;
  row.argv = "/usr/bin/wrk -c8 http://127.0.0.1:3000/";
  row.output = wrk_text(load.size() - 8, 8, 8);
  s.trace.loads.push_back(row);
  Report report = s.report();
  ASSERT_EQ(report.loads.size(), 1u);
  EXPECT_EQ(report.loads[0].source, "wrk (pid 77), started by srvprof");
  EXPECT_TRUE(report.loads[0].counts_agree);
  s.trace.loads[0].output = "hello\n";
  report = s.report();
  ASSERT_EQ(report.loads.size(), 1u);
  EXPECT_FALSE(report.loads[0].problem.empty());
  EXPECT_TRUE(report.loads[0].whole.percentiles.empty());
  EXPECT_EQ(report.loads[0].ended, "");
  s.trace.loads[0].exit_status = 2;
  EXPECT_EQ(s.report().loads[0].ended, "it ended with exit status 2");
  s.trace.loads[0].exit_status = 128 + 9;
  EXPECT_EQ(s.report().loads[0].ended, "it was ended by signal 9");
  s.trace.meta["load.end"] = "it still ran";  // more is known: by whom
  EXPECT_EQ(s.report().loads[0].ended, "it still ran");
}

TEST(LoadSide, ManyConnectionsForFewRequestsAreChurn) {
  Load load(10s);
  for (int i = 0; i < 400; ++i) load.closed(1, 20ms * i, 20ms * i + 5ms, false);
  const Scenario& s = load.build();
  const LoadView v = joined(s, load.csv(77), "client.csv");
  EXPECT_TRUE(mentions(v.gap, "400 connections for 400 requests"));
  EXPECT_FALSE(mentions(v.gap, "ports"));
  Load faster(10s);
  for (int i = 0; i < 4000; ++i) faster.closed(1, 2ms * i, 2ms * i + 1ms, false);
  const Scenario& f = faster.build();
  EXPECT_TRUE(mentions(joined(f, faster.csv(77), "client.csv").gap, "of the 28,232 ports"));
}

}  // namespace
}  // namespace srvprof
