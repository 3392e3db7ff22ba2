#include "collect/decode.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include "records.h"
#include "recording/reader.h"

namespace srvprof {
namespace {

// Decodes records into a file of its own and reads the rows back.
class Decode : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/srvprof-decode-XXXXXX";
    const int fd = ::mkstemp(name);
    ASSERT_GE(fd, 0);
    path_ = name;
    auto writer = RecordingWriter::adopt(Fd(fd), path_);
    ASSERT_TRUE(writer.ok());
    writer_.emplace(std::move(*writer));
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  template <class Wire>
  bool send(const Wire& wire, std::size_t size = sizeof(Wire)) {
    return decode({reinterpret_cast<const std::byte*>(&wire), size}, options_, hooks_, *writer_);
  }

  template <class Row>
  std::vector<Row> rows_back() {
    EXPECT_TRUE(writer_->close().ok());
    auto reader = RecordingReader::open(path_);
    EXPECT_TRUE(reader.ok());
    std::vector<Row> rows;
    auto report = reader->read_all([&](const auto& row) {
      if constexpr (std::is_same_v<std::decay_t<decltype(row)>, Row>) rows.push_back(row);
    });
    EXPECT_TRUE(report.ok());
    return rows;
  }

  std::string path_;
  std::optional<RecordingWriter> writer_;
  DecodeOptions options_;
  DecodeHooks hooks_;
};

sp_request request_with(const char* head) {
  sp_request r{};
  r.h.kind = SP_REQUEST;
  r.h.tid = 7;
  r.h.t = 2000;
  r.t_arrive = 1000;
  r.t_write = 3000;
  r.t_write_last = 3500;
  r.status = 200;
  const std::size_t n = std::min<std::size_t>((std::strlen(head) + 7) / 8 * 8, SP_HEAD_MAX);
  std::memcpy(r.head, head, std::min<std::size_t>(std::strlen(head), SP_HEAD_MAX));
  r.h.aux = static_cast<std::uint16_t>(n);
  return r;
}

TEST_F(Decode, RequestLosesItsQuery) {
  ASSERT_TRUE(send(request_with("GET /items?token=secret HTTP/1.1\r")));
  const auto rows = rows_back<rows::Request>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].method, "GET");
  EXPECT_EQ(rows[0].path, "/items");
  EXPECT_EQ(to_ns(rows[0].t_arrive), 1000u);
  EXPECT_EQ(to_ns(rows[0].t_read), 2000u);
  EXPECT_EQ(rows[0].tid_read, 7u);
}

TEST_F(Decode, RequestKeepsItsQueryWhenAsked) {
  options_.keep_query = true;
  ASSERT_TRUE(send(request_with("GET /items?page=3 HTTP/1.1\r")));
  const auto rows = rows_back<rows::Request>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].path, "/items?page=3");
}

TEST_F(Decode, RequestWithoutReadableBytesHasNoPath) {
  sp_request r = request_with("");
  ASSERT_TRUE(send(r, sizeof r - SP_HEAD_MAX));
  const auto rows = rows_back<rows::Request>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_TRUE(rows[0].method.empty());
  EXPECT_TRUE(rows[0].path.empty());
}

TEST_F(Decode, ShortOffCpuGivesExactTimes) {
  sp_offcpu r{};
  r.h.kind = SP_OFFCPU;
  r.h.t = 10'000;
  r.h.tid = 3;
  r.h.aux = 1;
  r.off_ns = 4'000;
  r.runq_ns = 1'000;
  ASSERT_TRUE(send(r));
  r.runq_ns = 4'000;  // preempted: runnable all the time
  ASSERT_TRUE(send(r));
  const auto rows = rows_back<rows::OffCpu>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(to_ns(rows[0].t_out), 6'000u);
  EXPECT_EQ(to_ns(rows[0].t_wake), 9'000u);
  EXPECT_EQ(to_ns(rows[0].t_in), 10'000u);
  EXPECT_EQ(to_ns(rows[1].t_wake), 0u);
}

TEST_F(Decode, ConnectionAddressesBecomeText) {
  sp_conn r{};
  r.h.kind = SP_CONN;
  r.h.t = 5;
  r.conn = 9;
  r.lport = 80;
  r.rport = 4242;
  const std::uint8_t v4[] = {127, 0, 0, 1};
  std::memcpy(r.laddr, v4, 4);
  std::memcpy(r.raddr, v4, 4);
  ASSERT_TRUE(send(r));
  r.h.aux = SP_CONN_IPV6;
  std::memset(r.laddr, 0, 16);
  r.laddr[15] = 1;
  ASSERT_TRUE(send(r));
  const auto rows = rows_back<rows::Conn>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].local_addr, "127.0.0.1");
  EXPECT_EQ(rows[0].remote_port, 4242u);
  EXPECT_EQ(rows[1].local_addr, "::1");
}

TEST_F(Decode, LoadGeneratorsConnection) {
  sp_conn r{};
  r.h.kind = SP_CLIENT_CONN;
  r.h.aux = SP_CONN_OUT | SP_CONN_CLIENT;
  r.h.t = 50;
  r.t_accept = 40;
  r.conn = 9;
  r.pid = 77;
  r.rport = 80;
  ASSERT_TRUE(send(r));
  r.h.aux |= SP_CONN_PREEXISTING;
  ASSERT_TRUE(send(r));
  const auto rows = rows_back<rows::ClientConn>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(to_ns(rows[0].t_connect), 40u);
  EXPECT_EQ(to_ns(rows[0].t_open), 50u);
  EXPECT_EQ(rows[0].pid, 77u);
  EXPECT_EQ(rows[0].remote_port, 80u);
  EXPECT_FALSE(known(rows[1].t_connect)) << "it was open before it was seen";
  EXPECT_FALSE(known(rows[1].t_open));
}

TEST_F(Decode, LoadGeneratorsExchangeBeginsWithItsSend) {
  sp_exchange r{};
  r.h.kind = SP_CLIENT_EXCHANGE;
  r.h.t = 1'000'000;
  r.send_ns = 300;
  ASSERT_TRUE(send(r));
  for (const std::uint32_t unknown : {0u, ~0u, 2'000'000u}) {  // not seen, too long ago, impossible
    r.send_ns = unknown;
    ASSERT_TRUE(send(r));
  }
  const auto rows = rows_back<rows::ClientExchange>();
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(to_ns(rows[0].t_send), 999'700u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_FALSE(known(rows[i].t_send)) << i;
}

TEST_F(Decode, WalkKeepsHintsWhereThereAreSome) {
  sp_walk r{};
  r.h.kind = SP_WALK;
  r.h.tid = 42;
  r.h.aux = 2;
  r.hash = 9;
  r.end = SP_END_COMPLETE;
  r.frame[0] = {0x1000, 0};
  r.frame[1] = {0x2000, 0x77};
  ASSERT_TRUE(send(r, offsetof(sp_walk, frame) + 2 * sizeof(sp_frame)));
  r.hash = 10;
  r.h.aux = 200;  // more than there are
  r.frame[1].hint = 0;
  ASSERT_TRUE(send(r, offsetof(sp_walk, frame) + 1 * sizeof(sp_frame)));
  EXPECT_FALSE(send(r, offsetof(sp_walk, frame) - 1));
  const auto rows = rows_back<rows::Stack>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].pid, 42u);
  EXPECT_EQ(rows[0].pcs, (std::vector<std::uint64_t>{0x1000, 0x2000}));
  EXPECT_EQ(rows[0].hints, (std::vector<std::uint64_t>{0, 0x77}));
  EXPECT_EQ(rows[0].end, 1u);
  EXPECT_EQ(rows[1].pcs.size(), 1u);
  EXPECT_TRUE(rows[1].hints.empty());
}

TEST_F(Decode, StackTakesNoMoreThanWasSent) {
  sp_stack r{};
  r.h.kind = SP_STACK;
  r.h.aux = 60'000;  // a lie
  r.hash = 11;
  r.pc[0] = 1;
  r.pc[1] = 2;
  ASSERT_TRUE(send(r, 24 + 2 * 8));
  const auto rows = rows_back<rows::Stack>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].pcs, (std::vector<std::uint64_t>{1, 2}));
}

TEST_F(Decode, EveryKindRefusesACutRecord) {
  std::mt19937 random(3);
  for (std::uint16_t kind = 0; kind < 40; ++kind) {
    std::vector<std::byte> bytes(512);
    for (auto& b : bytes) b = static_cast<std::byte>(random());
    std::memcpy(bytes.data(), &kind, sizeof kind);
    const bool known = (kind >= SP_REQUEST && kind <= SP_IRQ) || (kind >= SP_WALK && kind <= SP_CLIENT_OFF);
    EXPECT_EQ(decode(bytes, options_, hooks_, *writer_), known) << kind;
    for (std::size_t n = 0; n < 16; ++n) {
      EXPECT_FALSE(decode({bytes.data(), n}, options_, hooks_, *writer_)) << kind << " " << n;
    }
  }
}

TEST_F(Decode, SpanInTheRuntimesWords) {
  static constexpr std::string_view kKinds[] = {"scavenge", "mark-compact"}, kReasons[] = {"task"};
  static constexpr SpanKind kPause{"gc.pause", SpanBy::kThread, false, kKinds, kReasons};
  static constexpr SpanKind kOperation{"vmop", SpanBy::kProcess};
  const SpanKind* const spans[] = {&kPause, &kOperation};
  options_.spans = spans;
  sp_span s{};
  s.h.kind = SP_SPAN;
  s.h.tid = 7;
  s.h.t = 3000;
  s.t_begin = 1000;
  s.pid = 5;
  s.kind = 1;
  s.reason = 0;
  std::strcpy(s.text, "idle");
  EXPECT_TRUE(send(s));
  s.h.aux = 1;
  s.h.t = 0;  // still open
  s.t_stopping = 900;
  EXPECT_TRUE(send(s));
  s.h.aux = 2;
  EXPECT_FALSE(send(s));  // a number that nobody gave
  EXPECT_FALSE(send(s, sizeof s - 1));
  const auto rows = rows_back<rows::Span>();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "gc.pause");
  EXPECT_EQ(rows[0].kind, "mark-compact");
  EXPECT_EQ(rows[0].reason, "task (idle)");
  EXPECT_EQ(rows[0].tid, 7u);
  EXPECT_EQ(rows[0].pid, 5u);
  EXPECT_EQ(to_ns(rows[0].t_begin), 1000u);
  EXPECT_EQ(to_ns(rows[0].t_end), 3000u);
  EXPECT_EQ(rows[1].name, "vmop");
  EXPECT_EQ(rows[1].kind, "idle");
  EXPECT_EQ(to_ns(rows[1].t_stopping), 900u);
  EXPECT_FALSE(known(rows[1].t_end));
}

}  // namespace
}  // namespace srvprof
