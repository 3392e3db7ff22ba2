// The plain CSV of home-made generators, and truthclient's.
#include <gtest/gtest.h>

#include "dump.h"

namespace srvprof {
namespace {

std::string refusal(std::string_view text) {
  const Result<ClientRun> run = import_run(text, "mine.csv");
  return run.ok() ? "" : run.error().what;
}

TEST(Plain, AsItIsDocumented) {
  const ClientRun run = import_text_ok(
      "# my generator 1.0\n"
      "start_unix_ns,latency_ns,status,path\n"
      "1796038607019468248,1724297,200,/items?page=3\n"
      "1796038607021192656,98546,404,/items/7\n"
      "1796038607021192600,5000000,0,/items\n",
      "mine.csv");
  EXPECT_EQ(run.format, "csv");
  EXPECT_EQ(run.time_base, TimeBase::kWallClock);
  EXPECT_EQ(run.counts.answered, 2u);
  EXPECT_EQ(run.counts.unanswered, 1u);
  EXPECT_EQ(run.counts.http_errors, 1u);
  EXPECT_EQ(run.samples.at(1).latency.count(), 5'000'000);
  EXPECT_TRUE(run.samples.at(1).failed);
  EXPECT_EQ(run.paths, (std::vector<std::string>{"", "/items", "/items/7"}));
  EXPECT_EQ(run.latency.max->value.count(), 1'724'297);
}

TEST(Plain, UnitsClocksAndEnds) {
  const ClientRun relative = import_text_ok(
      "latency_ms,start_s,due_s,ttfb_ms,connect_us,conn,error,colour\n"
      "12.5,0.25,0.2,3,150,4,,red\n,0.5,,,,4,\"reset, by peer\",blue",
      "x");
  EXPECT_EQ(relative.time_base, TimeBase::kToolStart);
  const ClientSample& first = relative.samples.at(0);
  EXPECT_EQ(first.start.count(), 250'000'000);
  EXPECT_EQ(first.latency.count(), 12'500'000);
  EXPECT_EQ(first.due.count(), 200'000'000);
  EXPECT_EQ(first.first_byte.count(), 3'000'000);
  EXPECT_EQ(first.connect.count(), 150'000);
  EXPECT_EQ(first.connection, 4u);
  EXPECT_EQ(relative.samples.at(1).latency, kNotTold);
  EXPECT_EQ(relative.counts.errors.at(0).text, "reset, by peer");
  EXPECT_EQ(relative.latency_resolution.count(), 100'000);
  EXPECT_TRUE(has_note(relative, "columns not used: colour"));

  const ClientRun ends = import_text_ok("end_mono_us,latency_us\n1000,300\n", "x");
  EXPECT_EQ(ends.time_base, TimeBase::kMonotonic);
  EXPECT_EQ(ends.samples.at(0).start.count(), 700'000);
  EXPECT_TRUE(has_note(ends, "all requests are taken as answered"));
}

TEST(Plain, ErrorsNameTheLine) {
  EXPECT_NE(
      refusal("# a\n\nstart_s,latency_ms,status\n1,2,200\nx,2,200\n").find("line 5: the start"),
      std::string::npos);
  EXPECT_NE(refusal("start_s,latency_ms,status\n1,2\n").find("line 2: 2 fields, not 3"),
            std::string::npos);
  EXPECT_NE(refusal("start_s,latency_ms,status\n1,2,2000\n").find("line 2: status is not"),
            std::string::npos);
  EXPECT_NE(refusal("start_s,latency_ms,status\n1,,200\n").find("line 2: an answered request has"),
            std::string::npos);
  EXPECT_NE(refusal("end_s,latency_ms\n0.001,2\n").find("line 2: the request starts before"),
            std::string::npos);
  EXPECT_NE(refusal("start_s,latency_ms,conn\n1,2,-1\n").find("line 2: conn is not a number: '-1'"),
            std::string::npos);
  EXPECT_NE(refusal("start,latency\n1,2\n").find("not the output of a load generator"),
            std::string::npos);
}

constexpr std::string_view kTruth =
    "id,send_ns,recv_ns,status,conn,first_ns,due_ns,mix,bytes,first_of_conn\n"
    "1,5000,9000,200,0,8000,4000,0,12,1\n"
    "2,6000,0,0,1,0,0,0,0,1\n";

TEST(Truthclient, UsesTheClockOfRecordings) {
  const ClientRun run = import_text_ok(kTruth, "t.csv");
  EXPECT_EQ(run.format, "truthclient");
  EXPECT_EQ(run.time_base, TimeBase::kMonotonic);
  EXPECT_EQ(run.counts.answered, 1u);
  EXPECT_EQ(run.counts.unanswered, 1u);
  const ClientSample& first = run.samples.at(0);
  EXPECT_EQ(first.start.count(), 5000);
  EXPECT_EQ(first.latency.count(), 4000);
  EXPECT_EQ(first.first_byte.count(), 3000);
  EXPECT_EQ(first.due.count(), 4000);
  EXPECT_EQ(run.samples.at(1).due, kNotTold);
  EXPECT_TRUE(run.samples.at(1).failed);
}

TEST(Truthclient, RefusesAnswersBeforeTheRequest) {
  const std::string text = std::string(kTruth) + "3,7000,6000,200,0,6500,0,0,1,0\n";
  EXPECT_NE(refusal(text).find("line 4: the answer comes before the request"), std::string::npos);
}

}  // namespace
}  // namespace srvprof
