// The load generator's side: which exchange is which request, and what its ledger says.
#include "trace/client.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include <fmt/format.h>

#include "trace_text.h"

namespace srvprof {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""us;

constexpr std::string_view kEnds = R"(srvprof-text 1
conn id=1 pid=10 t_open=10ms local_addr=127.0.0.1 local_port=3000 remote_addr=127.0.0.1 remote_port=40000
client_conn id=7 pid=20 t_connect=9.5ms t_open=9.8ms local_addr=127.0.0.1 local_port=40000 remote_addr=127.0.0.1 remote_port=3000
)";

std::string request(double arrive, double done, std::string_view more = "flags=0") {
  return fmt::format(
      "request conn=1 t_arrive={0}ms t_read={0}ms t_write={1}ms t_write_last={1}ms tid_read=10 "
      "tid_write=10 {2}\n",
      arrive, done, more);
}

std::string exchange(double send, double write, double arrive, double read,
                     std::string_view more = "") {
  return fmt::format(
      "client_exchange conn=7 tid_write=21 tid_read=21 t_send={}ms t_write={}ms t_write_last={}ms "
      "t_arrive={}ms "
      "t_read={}ms t_read_last={}ms {}\n",
      send, write, write, arrive, read, read, more);
}

Trace with(const std::string& rows) { return trace_of(std::string(kEnds) + rows); }

Duration sum(const ClientLedger& ledger) {
  Duration total{};
  for (const Duration d : ledger.line) total += d;
  return total;
}

TEST(Client, TellsWhereARequestWas) {
  // Sent 12..12.2, there at 12.1; answered at 13, read at 15: runnable from 13.5 to 14.
  const Trace trace = with(
      "client_off tid=21 pid=20 t_out=11ms t_wake=11.5ms t_in=11.6ms\n"
      "client_off tid=21 pid=20 t_out=12.5ms t_wake=13.5ms t_in=14ms\n" +
      request(12.1, 13.1) + exchange(12, 12.2, 13, 15));
  const auto ledger = client_ledger(trace, RequestId{1});
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->of(ClientLine::kSend), 100us);
  EXPECT_EQ(ledger->of(ClientLine::kTransit), 0us);
  EXPECT_EQ(ledger->of(ClientLine::kServer), 900us);
  EXPECT_EQ(ledger->of(ClientLine::kRunq), 600us) << "before the send, and with the answer there";
  EXPECT_EQ(ledger->of(ClientLine::kIdle), 1ms) << "no thread wanted to run";
  EXPECT_EQ(ledger->of(ClientLine::kConnect), 300us);
  EXPECT_EQ(ledger->unread, 2ms);
  EXPECT_EQ(ledger->unread_runq, 500us);
  EXPECT_EQ(ledger->latency(), 5.5ms);
  EXPECT_EQ(sum(*ledger), ledger->latency());
}

TEST(Client, AThreadOfItsProcessThatIsQueuedIsItsRunQueue) {
  const Trace trace = with(
      "client_off tid=21 pid=20 t_out=12.5ms t_wake=14.9ms t_in=14.9ms\n"
      "client_off tid=22 pid=20 t_out=11ms t_wake=13.1ms t_in=14.6ms\n"
      "client_off tid=22 pid=20 t_out=14.8ms t_wake=16ms t_in=16ms\n" +
      request(12.1, 13) + exchange(12, 12.2, 13, 15));
  const auto ledger = client_ledger(trace, RequestId{1});
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->unread_runq, 1500us) << "the poller waited for its CPU";
  EXPECT_EQ(ledger->of(ClientLine::kIdle), 1200us) << "1 ms of it before the send";
  EXPECT_EQ(sum(*ledger), ledger->latency());
}

TEST(Client, SeveralWritesOfTheServer) {
  const Trace trace = with(request(12.1, 13) +
                           "request conn=1 t_arrive=21ms t_read=21ms t_write=22ms "
                           "t_write_last=24ms n_write=2 tid_read=10 tid_write=10\n" +
                           exchange(12, 12.2, 13, 13.5) + exchange(20.9, 21.1, 21.9, 25));
  const auto ledger = client_ledger(trace, RequestId{2});
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->of(ClientLine::kServer), 900us);
  EXPECT_EQ(ledger->of(ClientLine::kWrite), 2100us);
  EXPECT_EQ(ledger->unread, 1ms);
  EXPECT_EQ(ledger->of(ClientLine::kUnknown), 1ms) << "no thread of the client was seen";
  const auto turn = client_turnaround(trace, RequestId{2});
  ASSERT_TRUE(turn);
  EXPECT_EQ(turn->latency(), 7400us);
  EXPECT_FALSE(client_turnaround(trace, RequestId{1}));
}

TEST(Client, WithoutTheBeginOfItsSend) {
  const Trace trace = with(request(12.1, 13) + request(21, 22) + exchange(0, 12.2, 13, 14) +
                           exchange(0, 21.2, 22, 23));
  const auto first = client_ledger(trace, RequestId{1}),
             second = client_ledger(trace, RequestId{2});
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(trace.client.sends_seen);
  EXPECT_EQ(second->of(ClientLine::kSend), 0us);
  EXPECT_EQ(second->latency(), 2ms);
  EXPECT_EQ(sum(*first), first->latency());
}

TEST(Client, AnInterimAnswerIsPartOfTheExchange) {
  const Trace trace =
      with(request(12.1, 30) + exchange(12, 12.2, 13, 14) + exchange(15, 15.1, 30, 31) +
           request(40.1, 41) + exchange(40, 40.2, 41, 42));
  const auto ledger = client_ledger(trace, RequestId{1});
  ASSERT_TRUE(ledger);
  EXPECT_EQ(ledger->end, Time(31ms));
  EXPECT_EQ(trace.client.exchanges_unmatched, 0U);
  ASSERT_TRUE(client_ledger(trace, RequestId{2}));
}

TEST(Client, PipelinedRequestsCannotBeTold) {
  const Trace trace = with(request(12.1, 13) + request(12.2, 13.5) + exchange(12, 12.2, 13, 14) +
                           request(20.1, 21) + exchange(20, 20.2, 21, 22));
  EXPECT_FALSE(client_ledger(trace, RequestId{1}));
  EXPECT_FALSE(client_ledger(trace, RequestId{2}));
  EXPECT_TRUE(client_ledger(trace, RequestId{3})) << "the next one is told again";
  EXPECT_EQ(trace.client.pipelined, 2U);
}

TEST(Client, LostRecordsMoveNothing) {
  // The second exchange's request was lost, the third request's exchange, too.
  const Trace trace =
      with(request(12.1, 13) + exchange(12, 12.2, 13, 14) + exchange(20, 20.2, 21, 22) +
           request(30.1, 31) + request(40.1, 41) + exchange(40, 40.2, 41, 42));
  EXPECT_TRUE(client_ledger(trace, RequestId{1}));
  EXPECT_FALSE(client_ledger(trace, RequestId{2}));
  const auto third = client_ledger(trace, RequestId{3});
  ASSERT_TRUE(third);
  EXPECT_EQ(third->begin, Time(40ms));
}

TEST(Client, AConnectionThatWasFoundOpen) {
  const Trace trace = trace_of(
      "srvprof-text 1\n"
      "conn id=1 pid=10 t_open=1ms local_addr=127.0.0.1 local_port=3000 remote_addr=127.0.0.1 "
      "remote_port=40000\n"
      "client_conn id=7 pid=20 flags=2 local_addr=127.0.0.1 local_port=40000 "
      "remote_addr=127.0.0.1 remote_port=3000\n" +
      request(2, 3) + request(5, 6) + request(12.1, 13) + request(20.1, 21) +
      exchange(0, 12.2, 13, 14) + exchange(20, 20.2, 21, 22));
  EXPECT_FALSE(client_ledger(trace, RequestId{2}));
  const auto third = client_ledger(trace, RequestId{3});
  ASSERT_TRUE(third && client_ledger(trace, RequestId{4}));
  EXPECT_EQ(third->of(ClientLine::kConnect), Duration{});
  EXPECT_EQ(trace.client.pipelined, 0U);
  EXPECT_EQ(trace.client.exchanges_unmatched, 0U);
}

TEST(Client, APortThatIsUsedAgain) {
  const Trace trace = with(
      "conn id=2 pid=10 t_open=110ms local_addr=127.0.0.1 local_port=3000 remote_addr=127.0.0.1 "
      "remote_port=40000\n"
      "client_conn id=8 pid=20 t_connect=109ms t_open=109.9ms local_addr=127.0.0.1 "
      "local_port=40000 "
      "remote_addr=127.0.0.1 remote_port=3000\n"
      "client_exchange conn=8 t_send=112ms t_write=112.2ms t_arrive=113ms t_read=114ms "
      "t_read_last=114ms\n"
      "request conn=2 t_arrive=112.1ms t_read=112.1ms t_write=113ms t_write_last=113ms tid_read=10 "
      "tid_write=10\n" +
      request(12.1, 13) + exchange(12, 12.2, 13, 14));
  ASSERT_TRUE(client_ledger(trace, RequestId{1}) && client_ledger(trace, RequestId{2}));
  EXPECT_EQ(client_ledger(trace, RequestId{2})->begin, Time(109ms));
  EXPECT_EQ(trace.client.conns_unmatched, 0U);
}

TEST(Client, AnotherAddressIsAnotherConnection) {
  const Trace trace = trace_of(
      "srvprof-text 1\n"
      "conn id=1 t_open=10ms local_addr=10.0.0.1 local_port=3000 remote_addr=10.0.0.2 "
      "remote_port=40000\n"
      "client_conn id=7 pid=20 local_addr=127.0.0.1 local_port=40000 remote_addr=127.0.0.1 "
      "remote_port=3000\n" +
      request(12.1, 13) + exchange(12, 12.2, 13, 14));
  EXPECT_FALSE(client_ledger(trace, RequestId{1}));
  EXPECT_EQ(trace.client.conns_unmatched, 1U);
  EXPECT_EQ(trace.client.exchanges_unmatched, 1U);
}

TEST(Client, UnansweredAndAborted) {
  const Trace trace = with(request(12.1, 13, "flags=32") +
                           "client_exchange conn=7 t_send=12ms t_write=12.2ms flags=32\n");
  EXPECT_FALSE(client_ledger(trace, RequestId{1}));
  EXPECT_FALSE(client_ledger(trace, RequestId{99}));
  EXPECT_FALSE(client_ledger(trace, RequestId{}));
}

// Whatever the rows say, lines add up and are never negative.
TEST(Client, AddsUpWhateverTheRowsSay) {
  std::mt19937 random(7);
  const auto t = [&](double around) {
    const int kind = static_cast<int>(random() % 12);
    if (kind == 0) return 0.0;
    if (kind == 1) return static_cast<double>(random() % 100000) / 100;
    return around + static_cast<double>(random() % 300) / 100;
  };
  int ledgers = 0;
  for (int round = 0; round < 300; ++round) {
    std::string rows;
    for (int i = 1; i < 12; ++i) {
      const double at = 10.0 * i;
      rows += fmt::format(
          "request conn=1 t_arrive={:.3f}ms t_read={:.3f}ms t_write={:.3f}ms t_write_last={:.3f}ms "
          "n_write={} tid_read=10 "
          "tid_write=10 flags={}\n",
          t(at), t(at), t(at + 2), t(at + 2), random() % 4,
          random() % 5 == 0 ? random() % 4096 : 0);
      rows += fmt::format(
          "client_exchange conn={} tid_write={} tid_read={} t_send={:.3f}ms t_write={:.3f}ms "
          "t_write_last={:.3f}ms "
          "t_arrive={:.3f}ms t_read={:.3f}ms t_read_last={:.3f}ms\n",
          random() % 20 == 0 ? 9 : 7, 20 + random() % 3, 20 + random() % 3, t(at - 1), t(at - 1),
          t(at - 1), t(at + 3), t(at + 4), t(at + 4));
      rows += fmt::format("client_off tid={} pid=20 t_out={:.3f}ms t_wake={:.3f}ms t_in={:.3f}ms\n",
                          20 + random() % 3, t(at), t(at + 2), t(at + 3));
    }
    const Trace trace = with(rows);
    for (std::uint32_t id = 1; id <= trace.requests.size(); ++id) {
      for (const auto& ledger :
           {client_ledger(trace, RequestId{id}), client_turnaround(trace, RequestId{id})}) {
        if (!ledger) continue;
        ++ledgers;
        ASSERT_EQ(sum(*ledger), ledger->latency()) << rows;
        for (const Duration d : ledger->line) ASSERT_GE(d, Duration{}) << rows;
        ASSERT_LE(ledger->unread, ledger->latency());
        ASSERT_LE(ledger->unread_runq, ledger->unread);
      }
    }
  }
  EXPECT_GT(ledgers, 500);
}

TEST(Stretches, MergeAndMeasure) {
  const Stretches s({{Time(5ms), Time(7ms)},
                     {Time(1ms), Time(2ms)},
                     {Time(6ms), Time(9ms)},
                     {Time(4ms), Time(3ms)}});
  EXPECT_EQ(s.within(Time(0ms), Time(20ms)), 5ms);
  EXPECT_EQ(s.within(Time(1500us), Time(6ms)), 1500us);
  EXPECT_EQ(s.within(Time(2ms), Time(5ms)), 0ms);
  EXPECT_EQ(s.within(Time(6ms), Time(5ms)), 0ms);
}

}  // namespace
}  // namespace srvprof
