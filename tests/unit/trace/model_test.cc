// Rows -> model, besides the ledger.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "recording/text.h"
#include "trace/flags.h"
#include "trace/load.h"
#include "trace/timeline.h"
#include "trace_text.h"

namespace srvprof {
namespace {

Time ms(double t) { return time_from_ns(static_cast<std::uint64_t>(t * 1e6)); }

TEST(Model, InternsRoutesAndPaths) {
  const Trace trace = trace_of(R"(srvprof-text 1
request conn=1 t_arrive=1ms t_read=2ms t_write=3ms t_write_last=3ms tid_read=1 tid_write=1 method=GET path=/items/1
request conn=1 t_arrive=4ms t_read=5ms t_write=6ms t_write_last=6ms tid_read=1 tid_write=1 method=GET path=/items/2
request conn=1 t_arrive=7ms t_read=8ms t_write=9ms t_write_last=9ms tid_read=1 tid_write=1 method=GET path=/items/1
)");
  ASSERT_EQ(trace.requests.size(), 3U);
  EXPECT_EQ(trace.routes[trace.requests[0].route.value], "GET /items/:id");
  EXPECT_EQ(trace.requests[0].route, trace.requests[2].route);
  EXPECT_EQ(trace.requests[0].path, trace.requests[2].path);
  EXPECT_EQ(trace.strings[trace.requests[1].path.value], "/items/2");
  EXPECT_EQ(trace.strings[0], "");
  EXPECT_FALSE(trace.requests[0].previous);
  EXPECT_EQ(trace.requests[2].previous.value, 2U);
}

TEST(Model, SortsRequestsByArrival) {
  const Trace trace = trace_of(R"(srvprof-text 1
request conn=1 t_arrive=7ms t_read=8ms t_write=9ms t_write_last=9ms tid_read=1 tid_write=1
request conn=2 t_arrive=1ms t_read=20ms t_write=30ms t_write_last=30ms tid_read=1 tid_write=1
)");
  EXPECT_EQ(trace.requests[0].t_arrive, ms(1));
  EXPECT_EQ(trace.requests[1].t_arrive, ms(7));
}

TEST(Model, FirstRequestEndsItsAcceptAtTheUpperBound) {
  const Trace trace = trace_of(R"(srvprof-text 1
conn id=1 t_open=1ms t_accept=4ms t_accept_low=2ms
conn id=2 t_open=1ms t_accept=1.5ms
conn id=3 t_open=1ms t_accept=50ms
request conn=1 flags=1 t_arrive=2ms t_read=5ms t_write=6ms t_write_last=6ms tid_read=1 tid_write=1
request conn=2 flags=1 t_arrive=3ms t_read=5ms t_write=6ms t_write_last=6ms tid_read=1 tid_write=1
request conn=3 flags=1 t_arrive=3.5ms t_read=5ms t_write=6ms t_write_last=6ms tid_read=1 tid_write=1
request conn=1 t_arrive=7ms t_read=8ms t_write=9ms t_write_last=9ms tid_read=1 tid_write=1
)");
  EXPECT_TRUE(trace.requests[0].first);
  EXPECT_EQ(trace.requests[0].t_accepted, ms(4));
  EXPECT_EQ(trace.requests[1].t_accepted, ms(3)) << "accepted before its first byte came";
  EXPECT_EQ(trace.requests[2].t_accepted, ms(5)) << "never later than the read";
  EXPECT_FALSE(trace.requests[3].first);
  EXPECT_EQ(trace.requests[3].t_accepted, ms(7));
}

TEST(Model, CensoredAbortedStreamed) {
  const Trace trace = trace_of(R"(srvprof-text 1
conn_close id=2 t=40ms flags=8
request conn=1 flags=32 t_arrive=1ms t_read=2ms tid_read=1
request conn=2 flags=16 t_arrive=2ms t_read=3ms t_write_last=39ms tid_read=1
request conn=3 n_write=9 t_arrive=3ms t_read=4ms t_write=5ms t_write_last=900ms tid_read=1 tid_write=1
request conn=4 n_write=9 flags=64 t_arrive=4ms t_read=5ms t_write=6ms t_write_last=900ms tid_read=1 tid_write=1
request conn=5 n_write=2 t_arrive=5ms t_read=6ms t_write=7ms t_write_last=900ms tid_read=1 tid_write=1
request conn=6 flags=2 t_arrive=6ms t_read=7ms t_write=8ms t_write_last=8ms tid_read=1 tid_write=1
end t=1000ms reason=duration
)");
  ASSERT_EQ(trace.requests.size(), 5U);
  EXPECT_EQ(trace.left_out_at_attach, 1U);
  EXPECT_TRUE(trace.requests[0].censored);
  EXPECT_EQ(trace.requests[0].t_done, ms(1000));
  EXPECT_EQ(trace.requests[0].t_write, ms(1000));
  EXPECT_TRUE(trace.requests[1].aborted);
  EXPECT_EQ(trace.requests[1].t_done, ms(40));
  EXPECT_TRUE(trace.conn(trace.requests[1].conn).reset);
  EXPECT_TRUE(trace.requests[2].stream);
  EXPECT_FALSE(trace.requests[3].stream) << "held up by its reader";
  EXPECT_FALSE(trace.requests[4].stream) << "two writes";
  EXPECT_TRUE(trace.clean_end);
  EXPECT_EQ(trace.end_reason, "duration");
}

TEST(Model, FindsTheLoadGenerator) {
  const Trace trace = trace_of(R"(srvprof-text 1
meta key=peer.5001 value=77
meta key=peer.5432 value=88
process pid=10 target=1 comm=node
process pid=77 comm=wrk
process pid=88 comm=postgres
process pid=91 ppid=90 comm=hey
conn id=1 local_port=80 remote_port=5001
conn id=2 flags=1 local_port=4000 remote_port=5432
load t_start=1ms t_end=2ms pid=90 argv="hey x"
)");
  EXPECT_EQ(trace.conns[0].peer_pid, 77U);
  EXPECT_EQ(trace.conns[1].peer_pid, 88U);
  EXPECT_TRUE(trace.processes.at(77).load_generator);
  EXPECT_FALSE(trace.processes.at(88).load_generator) << "a downstream is none";
  EXPECT_TRUE(trace.processes.at(90).load_generator);
  EXPECT_TRUE(trace.processes.at(91).load_generator) << "child of the load command";
  EXPECT_FALSE(trace.processes.at(10).load_generator);
}

TEST(Model, DropsOverlappingIntervals) {
  const Trace trace = trace_of(R"(srvprof-text 1
thread_state t=1ms tid=5 pid=5 run=1
off_cpu tid=5 t_out=10ms t_wake=15ms t_in=20ms state=83
off_cpu tid=5 t_out=10ms t_wake=15ms t_in=20ms state=83
off_cpu tid=5 t_out=18ms t_wake=25ms t_in=30ms state=83
off_cpu tid=5 t_out=50ms t_wake=45ms t_in=40ms state=83
)");
  const Thread& thread = trace.threads[0];
  ASSERT_EQ(thread.off.size(), 2U);
  EXPECT_EQ(thread.off[1].t_out, ms(20));
  EXPECT_EQ(thread.off[1].t_in, ms(30));
  ASSERT_EQ(trace.read_damage.size(), 1U);
  EXPECT_EQ(trace.read_damage[0], "3 off-CPU intervals overlap others and were cut");
}

TEST(Model, ImpossibleTimesAreDamage) {
  const Trace trace = trace_of(R"(srvprof-text 1
request conn=1 t_arrive=0x7ffffffffffffff0 t_read=2ms tid_read=1
off_cpu tid=5 t_out=10ms t_in=0x7fffffffffffffff
)");
  EXPECT_TRUE(trace.requests.empty());
  ASSERT_EQ(trace.read_damage.size(), 1U);
  EXPECT_EQ(trace.read_damage[0], "2 rows with impossible times were dropped");
}

TEST(Model, StatesAtTheEndsCompleteATimeline) {
  const Trace trace = trace_of(R"(srvprof-text 1
thread_state t=100ms tid=5 pid=5 run=3 state=83 sysnr=281 flags=32
thread_state t=100ms tid=6 pid=5 run=1
thread_state t=100ms tid=7 pid=5 run=3 state=83 sysnr=202 flags=32
off_cpu tid=5 t_wake=120ms t_in=121ms flags=64
thread_state t=200ms tid=5 pid=5 run=3 since=150ms t_wake=0 state=83 sysnr=281 flags=32 at_end=1
thread_state t=200ms tid=6 pid=5 run=2 since=180ms state=82 flags=1 at_end=1
thread_state t=200ms tid=7 pid=5 run=3 state=83 sysnr=202 flags=32 at_end=1
)");
  EXPECT_EQ(trace.t_begin, ms(100));
  EXPECT_EQ(trace.t_end, ms(200));
  const auto totals = [&](std::uint32_t tid) {
    return totals_of(trace.thread(trace.thread_by_tid.at(tid)), trace.t_begin, trace.t_end);
  };
  const ThreadTotals five = totals(5);
  EXPECT_EQ(five.blocked, Duration(70'000'000));
  EXPECT_EQ(five.runq, Duration(1'000'000));
  EXPECT_EQ(five.cpu, Duration(29'000'000));
  EXPECT_EQ(trace.threads[trace.thread_by_tid.at(5).value - 1].off[0].wait, Wait::kEvents);
  const ThreadTotals six = totals(6);
  EXPECT_EQ(six.cpu, Duration(80'000'000));
  EXPECT_EQ(six.runq, Duration(20'000'000));
  EXPECT_EQ(totals(7).blocked, Duration(100'000'000));
}

TEST(Model, NumbersOfThreadsAreUsedAgain) {
  const Trace trace = trace_of(R"(srvprof-text 1
thread_state t=1ms tid=5 pid=5 run=1
task t=10ms tid=50 pid=5 parent=5 flags=5 comm=lane
off_cpu tid=50 t_out=10ms t_wake=10ms t_in=11ms flags=4
task_exit t=20ms tid=50 pid=5
task t=30ms tid=50 pid=5 parent=5 flags=5 comm=lane
off_cpu tid=50 t_out=30ms t_wake=30ms t_in=32ms flags=4
task_exit t=40ms tid=50 pid=5
)");
  ASSERT_EQ(trace.threads.size(), 3U);
  const Thread& first = trace.thread(thread_at(trace, 50, ms(15)));
  const Thread& second = trace.thread(thread_at(trace, 50, ms(35)));
  EXPECT_EQ(first.t_born, ms(10));
  EXPECT_EQ(first.t_exit, ms(20));
  EXPECT_EQ(first.off.size(), 1U);
  EXPECT_EQ(second.t_born, ms(30));
  EXPECT_EQ(second.t_exit, ms(40));
  EXPECT_EQ(trace.thread(thread_at(trace, 5, ms(1))).children.size(), 2U);
}

TEST(Model, TellsLoopsFromThreads) {
  const std::string two_open = R"(srvprof-text 1
request conn=1 t_arrive=1ms t_read=2ms t_write=9ms t_write_last=9ms tid_read=1 tid_write=1
request conn=2 t_arrive=3ms t_read=4ms t_write=8ms t_write_last=8ms tid_read=1 tid_write=1
)";
  EXPECT_EQ(trace_of(two_open).model, RuntimeModel::kEventLoop);
  const std::string go = R"(srvprof-text 1
request conn=1 g=5 t_arrive=1ms t_read=2ms t_write=9ms t_write_last=9ms tid_read=1 tid_write=1
)";
  EXPECT_EQ(trace_of(go).model, RuntimeModel::kGoroutines);
  const std::string thread = R"(srvprof-text 1
request conn=1 t_arrive=1ms t_read=2ms t_write=9ms t_write_last=9ms tid_read=1 tid_write=1
off_cpu tid=1 t_out=10ms t_wake=15ms t_in=20ms state=83 sysnr=45 flags=32
request conn=2 t_arrive=13ms t_read=21ms t_write=28ms t_write_last=28ms tid_read=1 tid_write=1
)";
  EXPECT_EQ(trace_of(thread).model, RuntimeModel::kThreadPerRequest);
}

TEST(Model, ExchangesBelongToRequests) {
  const Trace trace = trace_of(R"(srvprof-text 1
thread_state t=1ms tid=1 pid=1 run=1
request conn=1 t_arrive=1ms t_read=2ms t_write=30ms t_write_last=30ms tid_read=1 tid_write=1
exchange conn=9 t_write=3ms t_arrive=10ms t_read=11ms tid_write=1 tid_read=1
exchange conn=8 t_write=12ms t_arrive=20ms t_read=21ms tid_write=1 tid_read=1
off_cpu tid=1 t_out=5ms t_wake=10ms t_in=10ms state=83 sysnr=281 flags=32
off_cpu tid=1 t_out=15ms t_wake=20ms t_in=20ms state=83 sysnr=281 flags=32
off_cpu tid=1 t_out=31ms t_wake=40ms t_in=40ms state=83 sysnr=281 flags=32
exchange conn=9 t_write=41ms t_arrive=45ms t_read=46ms tid_write=1 tid_read=1
)");
  EXPECT_EQ(trace.exchanges[0].request.value, 1U);
  EXPECT_EQ(trace.exchanges[1].request.value, 1U) << "asked when the first reply had come";
  EXPECT_FALSE(trace.exchanges[2].request) << "the request was done";
  EXPECT_EQ(trace.orphan_exchanges, 1U);
  EXPECT_EQ(exchanges_of(trace, {1}).size(), 2U);
  EXPECT_EQ(exchanges_of(trace, {}).size(), 1U) << "request 0: the orphans";
  EXPECT_EQ(trace.exchanges[2].previous.value, 1U);
  const Thread& thread = trace.thread(trace.thread_by_tid.at(1));
  EXPECT_EQ(owner_at(thread, ms(12.5)).value, 1U);
  EXPECT_FALSE(owner_at(thread, ms(17))) << "idle";
  EXPECT_EQ(owner_at(thread, ms(20.5)).value, 1U);
  EXPECT_FALSE(owner_at(thread, ms(42)));
}

TEST(Model, Roles) {
  const Trace trace = trace_of(R"(srvprof-text 1
thread_state t=1ms tid=1 pid=1 run=1
off_cpu tid=1 t_out=5ms t_wake=10ms t_in=10ms state=83 sysnr=281 flags=32 waker=2
off_cpu tid=2 t_out=2ms t_wake=5ms t_in=5ms state=83 sysnr=202 flags=32 waker=1
off_cpu tid=3 t_out=2ms t_wake=5ms t_in=5ms state=83 sysnr=202 flags=32 waker=1
off_cpu tid=4 t_out=2ms t_wake=5ms t_in=5ms state=83 sysnr=281 flags=32
task t=1ms tid=1 pid=1
task t=1ms tid=2 pid=1
task t=1ms tid=3 pid=1
task t=1ms tid=4 pid=1
request conn=1 t_arrive=1ms t_read=2ms t_write=30ms t_write_last=30ms tid_read=1 tid_write=1
)");
  const auto role = [&](std::uint32_t tid) {
    return trace.thread(trace.thread_by_tid.at(tid)).role;
  };
  EXPECT_EQ(role(1), ThreadRole::kLoop);
  EXPECT_EQ(role(2), ThreadRole::kPoolWorker);
  EXPECT_EQ(role(3), ThreadRole::kPoolWorker);
  EXPECT_EQ(role(4), ThreadRole::kHelper);
  ASSERT_EQ(trace.pool_of_pid.at(1).size(), 1U) << "only the one that wakes the loop";
  EXPECT_EQ(trace.thread(trace.pool_of_pid.at(1)[0]).tid, 2U);
}

// Requests that read and write at once, and every `nth` of which is split over two threads.
std::string go_requests(int nth) {
  std::string text = R"(srvprof-text 1
meta key=target.runtime value=go
thread_state t=1ms tid=21 pid=20 run=1
thread_state t=1ms tid=22 pid=20 run=1
)";
  for (int i = 0; i < 100; ++i) {
    const int t = 10 + 10 * i;
    const int writer = i % nth == 0 ? 22 : 21;
    text += "request conn=1 g=5 t_arrive=" + std::to_string(t) + "ms t_read=" + std::to_string(t) +
            "ms t_write=" + std::to_string(t + 5) + "ms t_write_last=" + std::to_string(t + 5) +
            "ms tid_read=21 tid_write=" + std::to_string(writer) + " method=GET path=/a\n";
    text += "request conn=2 g=6 t_arrive=" + std::to_string(t + 1) +
            "ms t_read=" + std::to_string(t + (i % nth == 0 ? 1 : 7)) +
            "ms t_write=" + std::to_string(t + 8) + "ms t_write_last=" + std::to_string(t + 8) +
            "ms tid_read=21 tid_write=21 path=/b\n";
  }
  return text;
}

TEST(Model, GoroutinesThatRunThroughWereKeptWhenTheyStop) {
  const Trace rarely = trace_of(go_requests(10));
  const RouteId route = rarely.requests[0].route;
  EXPECT_TRUE(rarely.route_runs_through[route.value]);
  const std::string kept = tiles_text(rarely, {1});
  EXPECT_NE(kept.find("service behind 4ms request 2~"), std::string::npos) << kept;

  const Trace often = trace_of(go_requests(2));
  EXPECT_FALSE(often.route_runs_through[route.value]);
  const std::string unknown = tiles_text(often, {1});
  EXPECT_NE(unknown.find("service unexplained 4ms split"), std::string::npos) << unknown;
}

class LoadTrace : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "srvprof_load_" + std::to_string(::getpid()) + ".srvprof";
    std::remove(path_.c_str());
  }
  void TearDown() override { std::remove(path_.c_str()); }

  void write(std::string_view text) {
    auto writer = RecordingWriter::create(path_);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE(write_text(text, *writer).ok());
    ASSERT_TRUE(writer->close().ok());
  }

  std::string path_;
};

TEST_F(LoadTrace, ReadsARecording) {
  write(R"(srvprof-text 1
meta key=target.pid value=1
request conn=1 t_arrive=1ms t_read=2ms t_write=30ms t_write_last=30ms tid_read=1 tid_write=1 path=/a
end t=50ms reason=signal
)");
  const auto trace = load_trace(path_);
  ASSERT_TRUE(trace.ok()) << trace.error().what;
  EXPECT_EQ(trace->requests.size(), 1U);
  EXPECT_EQ(trace->meta.at("target.pid"), "1");
  EXPECT_TRUE(trace->clean_end);
  EXPECT_TRUE(trace->read_damage.empty());
}

TEST_F(LoadTrace, SaysWhatACutRecordingLacks) {
  write(R"(srvprof-text 1
request conn=1 t_arrive=1ms t_read=2ms t_write=30ms t_write_last=30ms tid_read=1 tid_write=1 path=/a
end t=50ms reason=signal
)");
  std::ifstream in(path_, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  in.close();
  ASSERT_EQ(::truncate(path_.c_str(), static_cast<off_t>(bytes.size() - 3)), 0);
  const auto trace = load_trace(path_);
  ASSERT_TRUE(trace.ok()) << trace.error().what;
  EXPECT_EQ(trace->requests.size(), 1U);
  EXPECT_FALSE(trace->clean_end);
  EXPECT_FALSE(trace->read_damage.empty());
}

TEST_F(LoadTrace, RefusesWhatHoldsNothing) {
  EXPECT_FALSE(load_trace(path_).ok());
  write("srvprof-text 1\n");
  const auto trace = load_trace(path_);
  ASSERT_FALSE(trace.ok());
  EXPECT_NE(trace.error().what.find("holds no data"), std::string::npos);
}

}  // namespace
}  // namespace srvprof
