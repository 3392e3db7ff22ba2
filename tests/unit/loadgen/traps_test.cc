// Each format's traps: what misleads in it is handled, and said in a note. Texts that are no file
// of tests/fixtures follow the tool's source.
#include <gtest/gtest.h>

#include "dump.h"

namespace srvprof {
namespace {

TEST(Traps, WrkHistogramIsMarkedAndItsMeanCompared) {
  const ClientRun quiet = import_sample("wrk-done-lua-quiet.txt");
  EXPECT_EQ(quiet.kind, LatencyKind::kCorrected);
  EXPECT_TRUE(has_note(quiet, "is a mean of 0.37 ms; wrk says 1.68 ms"));
  const ClientRun loaded = import_sample("wrk-done-lua.txt");
  EXPECT_TRUE(has_note(loaded, "is a mean of 1.53 ms; wrk says 24.88 ms"));
}

constexpr std::string_view kWrkErrors =
    "Running 2m test @ http://u:secret@127.0.0.1:21004/items?token=abc\n"
    "  2 threads and 100 connections\n"
    "  Thread Stats   Avg      Stdev     Max   +/- Stdev\n"
    "    Latency     1.20s   310.00ms   1.99s    80.00%\n"
    "    Req/Sec    40.00     12.00   100.00     70.00%\n"
    "  10000 requests in 2.00m, 3.00MB read\n"
    "  Socket errors: connect 1, read 20, write 3, timeout 7\n"
    "  Non-2xx or 3xx responses: 55\n"
    "Requests/sec:     83.33\n"
    "Transfer/sec:     25.60KB\n";

TEST(Traps, WrkTimeoutsAreAnswersWithoutLatency) {
  const ClientRun run = import_text_ok(kWrkErrors, "wrk");
  EXPECT_EQ(run.counts.answered, 10000u);
  EXPECT_EQ(run.counts.unanswered, 24u);
  EXPECT_EQ(run.counts.timeouts, 7u);
  EXPECT_EQ(run.counts.http_errors, 55u);
  EXPECT_EQ(run.duration->count(), 120'000'000'000);
  EXPECT_EQ(run.latency.mean->value.count(), 1'200'000'000);
  EXPECT_EQ(run.latency.mean->resolution.count(), 10'000'000);
  EXPECT_EQ(run.target, "http://127.0.0.1:21004/items");
  EXPECT_TRUE(has_note(run, "7 answers came later than the timeout"));
  EXPECT_FALSE(has_note(run, "warning"));  // 100 x 120 s / 10000 is 1.2 s
}

TEST(Traps, SeveralRunsInOneOutputAddUpWithoutPercentiles) {
  const std::string two = read_sample("wrk-latency.txt") + read_sample("wrk-done-lua.txt");
  const ClientRun run = import_text_ok(two, "sh");
  EXPECT_EQ(run.counts.answered, 36371u + 13639u);
  EXPECT_TRUE(run.latency.empty());
  EXPECT_EQ(run.duration->count(), 4'190'016'000);
  EXPECT_EQ(run.connections, 10u);
  EXPECT_TRUE(has_note(run, "the output holds 2 runs"));
}

TEST(Traps, Wrk2CountsFromTheScheduleAndLeavesOutCalibration) {
  const ClientRun run = import_sample("wrk2-latency.txt");
  EXPECT_EQ(run.tool, "wrk2");
  EXPECT_EQ(run.kind, LatencyKind::kAsIntended);
  EXPECT_FALSE(run.as_sent);
  EXPECT_TRUE(has_note(run, "hold 5970 of 5976 requests"));
}

constexpr std::string_view kHeyMixed =
    "\nSummary:\n  Total:\t2.0000 secs\n  Slowest:\t0.5000 secs\n  Fastest:\t0.0001 secs\n"
    "  Average:\t0.0200 secs\n  Requests/sec:\t600000.0000\n\n\nResponse time histogram:\n"
    "  0.000 [1]\t|\n\n\nLatency distribution:\n  0% in 0.0000 secs\n  50% in 0.0100 secs\n"
    "  99% in 0.4000 secs\n\nDetails (average, fastest, slowest):\n"
    "  DNS+dialup:\t0.0000 secs, 0.0000 secs, 0.0000 secs\n\nStatus code distribution:\n"
    "  [200]\t1199000 responses\n  [503]\t990 responses\n\nError distribution:\n"
    "  [9]\tGet \"http://127.0.0.1/\": context deadline exceeded\n  [1]\tGet: EOF\n\n";

TEST(Traps, HeyKeepsAMillionAnswersAndDividesByThem) {
  const ClientRun run = import_text_ok(kHeyMixed, "hey");
  EXPECT_EQ(run.counts.answered, 1199990u);
  EXPECT_EQ(run.counts.unanswered, 10u);
  EXPECT_EQ(run.counts.requests, 1200000u);
  EXPECT_EQ(run.counts.http_errors, 990u);
  EXPECT_FALSE(run.latency.mean);
  EXPECT_EQ(run.latency.percentiles.size(), 2u);  // "0% in 0.0000" is no percentile
  EXPECT_TRUE(has_note(run, "first 1000000 answers"));
}

TEST(Traps, HeyCsvHasNoClockAndStepsOfATenthOfAMillisecond) {
  const ClientRun run = import_sample("hey.csv");
  EXPECT_EQ(run.time_base, TimeBase::kToolStart);
  EXPECT_EQ(run.latency_resolution.count(), 100'000);
  EXPECT_EQ(run.latency_has_connect, true);
  EXPECT_FALSE(run.counts.requests);
  EXPECT_EQ(run.samples.front().connect.count(), 7'100'000);
}

TEST(Traps, K6TimesAreEndsOfRequests) {
  const ClientRun run = import_sample("k6-out.json");
  // The first point of the file: time ...50.298683714, duration 0.209932 ms, blocked 0.392099 ms.
  const auto is_first = [](const ClientSample& s) { return s.latency.count() == 209'932; };
  const auto it = std::find_if(run.samples.begin(), run.samples.end(), is_first);
  ASSERT_NE(it, run.samples.end());
  EXPECT_EQ(it->start.count(), 1796038610298683714 - 209'932);
  EXPECT_EQ(it->connect.count(), 392'099);
  EXPECT_EQ(it->first_byte.count(), 13'400 + 151'145);
  EXPECT_EQ(run.latency_has_connect, false);
  EXPECT_EQ(run.paths.at(it->path), "/items");
  EXPECT_TRUE(has_note(run, "the start is that time less http_req_duration"));
}

TEST(Traps, K6CsvHasWholeSecondsUnlessToldOtherwise) {
  const ClientRun coarse = import_sample("k6-out.csv");
  EXPECT_EQ(coarse.time_resolution.count(), 1'000'000'000);
  EXPECT_TRUE(has_note(coarse, "K6_CSV_TIME_FORMAT=unix_micro"));
  const ClientRun fine = import_sample("k6-out-unix_micro.csv");
  EXPECT_EQ(fine.time_resolution.count(), 1'000);
  EXPECT_FALSE(has_note(fine, "K6_CSV_TIME_FORMAT"));
}

TEST(Traps, K6SummaryWithFailuresTakesTheExpectedAnswers) {
  constexpr std::string_view kText = R"json({"metrics":{
    "http_reqs":{"count":100,"rate":50},
    "http_req_failed":{"passes":40,"fails":60,"value":0.4},
    "http_req_duration":{"avg":0.6,"p(95)":1.5,"med":0},
    "http_req_duration{expected_response:true}":{"avg":1.0,"p(95)":2.0,"med":0.9}}})json";
  const ClientRun run = import_text_ok(kText, "summary.json");
  EXPECT_EQ(run.counts.requests, 100u);
  EXPECT_EQ(run.counts.tool_failed, 40u);
  EXPECT_FALSE(run.counts.answered);  // 4xx, 5xx and lost ones are one number
  EXPECT_EQ(percentile_ns(run.latency, 50), 900'000);
  EXPECT_EQ(percentile_ns(run.latency, 95), 2'000'000);
  EXPECT_EQ(run.duration->count(), 2'000'000'000);
  EXPECT_TRUE(has_note(run, "those of the expected answers"));
}

TEST(Traps, K6StdoutBeforeTheNewSummary) {
  constexpr std::string_view kText =
      "     checks.........................: 100.00% \xe2\x9c\x93 20  \xe2\x9c\x97 0\n"
      "   \xe2\x9c\x93 http_req_duration..............: avg=1.16ms  min=52.92\xc2\xb5s "
      "med=600.56\xc2\xb5s "
      "max=1m2s p(90)=2.69ms p(95)=4.1ms\n"
      "       { expected_response:true }...: avg=2.16ms  min=52.92\xc2\xb5s med=700.56\xc2\xb5s "
      "max=32.59ms p(90)=2.69ms p(95)=5.1ms\n"
      "     http_req_failed................: 10.00%  \xe2\x9c\x93 2   \xe2\x9c\x97 18\n"
      "     http_reqs......................: 20      10/s\n";
  const ClientRun run = import_text_ok(kText, "k6");
  EXPECT_EQ(run.counts.requests, 20u);
  EXPECT_EQ(run.counts.tool_failed, 2u);
  EXPECT_EQ(percentile_ns(run.latency, 95), 5'100'000);
  EXPECT_EQ(run.latency.max->value.count(), 32'590'000);
}

constexpr std::string_view kAutocannonErrors =
    R"({"url":"http://127.0.0.1:1/","connections":4,"workers":2,"duration":1.01,)"
    R"("start":"2026-11-30T12:10:41.229Z","finish":"2026-11-30T14:10:42.243+02:00",)"
    R"("errors":5,"timeouts":2,"non2xx":30,"1xx":0,"2xx":70,"3xx":10,"4xx":15,"5xx":5,)"
    R"("statusCodeStats":{"200":{"count":70},"302":{"count":10},"404":{"count":15},)"
    R"("500":{"count":5}},"latency":{"mean":1.5,"max":9,"p50":1,"p99_9":9,"totalCount":)";

TEST(Traps, AutocannonLeavesOutAnswersThatAreNot2xx) {
  const std::string text =
      std::string(kAutocannonErrors) + R"(70},"requests":{"total":100,"sent":109}})";
  const ClientRun run = import_text_ok(text, "autocannon");
  EXPECT_EQ(run.counts.answered, 100u);
  EXPECT_EQ(run.counts.http_errors, 20u);
  EXPECT_EQ(run.counts.timeouts, 2u);
  EXPECT_EQ(run.kind, LatencyKind::kAsSent);
  EXPECT_TRUE(has_note(run, "hold the 70 answers with status 2xx and leave out 30"));
  EXPECT_TRUE(has_note(run, "4 requests sent were still open"));
  EXPECT_EQ(run.finished->count() - run.started->count(), 1'014'000'000);
  EXPECT_EQ(percentile_ns(run.latency, 99.9), 9'000'000);
}

TEST(Traps, AutocannonAddsLatenciesWhenItHasARate) {
  const std::string text =
      std::string(kAutocannonErrors) + R"(400},"requests":{"total":100,"sent":105}})";
  const ClientRun run = import_text_ok(text, "autocannon");
  EXPECT_EQ(run.kind, LatencyKind::kCorrected);
  EXPECT_TRUE(has_note(run, "added 300 latencies"));
}

TEST(Traps, AutocannonTableIsRoundedAndColoured) {
  const ClientRun run = import_sample("autocannon-table.txt");
  EXPECT_EQ(run.counts.rounded_to, 1000u);
  EXPECT_FALSE(run.counts.answered);
  EXPECT_TRUE(has_note(run, "rounds the number of requests to thousands"));
  std::string coloured = read_sample("autocannon-table.txt");
  for (std::size_t at = 0; (at = coloured.find(" Latency ", at)) != std::string::npos; at += 30) {
    coloured.replace(at, 9, " \x1b[1mLatency\x1b[22m ");
  }
  EXPECT_EQ(dump_run(import_text_ok(coloured, "autocannon")), dump_run(run));
}

TEST(Traps, VegetaReportCountsFailuresInItsPercentiles) {
  constexpr std::string_view kText =
      "Requests      [total, rate, throughput]  10, 10.00, 7.00\n"
      "Duration      [total, attack, wait]      1m1.5s, 1m0s, 1.5s\n"
      "Latencies     [min, mean, 50, 90, 95, 99, max]  1ms, 2ms, 2ms, 3ms, 3ms, 4ms, 4ms\n"
      "Status Codes  [code:count]                      0:3  200:6  500:1  \n"
      "Error Set:\nGet \"http://127.0.0.1:1/\": EOF\n500 Internal Server Error\n";
  const ClientRun run = import_text_ok(kText, "report.txt");
  EXPECT_EQ(run.counts.answered, 7u);
  EXPECT_EQ(run.counts.unanswered, 3u);
  EXPECT_EQ(run.counts.http_errors, 1u);
  EXPECT_EQ(run.duration->count(), 61'500'000'000);
  EXPECT_TRUE(has_note(run, "percentiles include the 3 requests that got no answer"));
}

TEST(Traps, VegetaTellsStatusErrorsFromLostBodies) {
  constexpr std::string_view kText =
      "1796038608085746297,200,1000,0,3197,,,a,0,GET,http://h:1/a?x=1,\n"
      "1796038608085746290,500,2000,0,0,500 Internal Server Error,,a,1,GET,http://h:1/a,\n"
      "1796038608085746280,200,3000,0,10,\"unexpected, \"\"EOF\"\"\",,a,2,GET,http://h:1/b,\n";
  const ClientRun run = import_text_ok(kText, "results.csv");
  EXPECT_EQ(run.counts.answered, 2u);
  EXPECT_EQ(run.counts.unanswered, 1u);
  EXPECT_EQ(run.counts.http_errors, 1u);
  EXPECT_EQ(run.counts.errors.at(0).text, "unexpected, \"EOF\"");
  EXPECT_EQ(run.samples.front().start.count(), 1796038608085746280);  // by start, not completion
  EXPECT_EQ(run.paths.at(run.samples.back().path), "/a");
}

constexpr std::string_view kOhaJson = R"({
  "summary": {"successRate": 0.9, "total": 2.0, "slowest": 0.02, "fastest": 0.0005,
    "average": 0.0015, "requestsPerSec": 50.0, "totalData": 1, "sizePerRequest": 1,
    "sizePerSec": 1.0},
  "responseTimeHistogram": {"0.0005": 1},
  "latencyPercentiles": {"p10": 0.0006, "p50": 0.001, "p99": 0.0123, "p99.9": null},
  "statusCodeDistribution": {"200": 85, "404": 5},
  "errorDistribution": {"aborted due to deadline": 7, "connection error": 10}})";

TEST(Traps, OhaRequestsOpenAtTheEndAreNoFailures) {
  const ClientRun run = import_text_ok(kOhaJson, "oha.json");
  EXPECT_EQ(run.counts.answered, 90u);
  EXPECT_EQ(run.counts.unanswered, 10u);
  EXPECT_EQ(run.counts.requests, 100u);
  EXPECT_EQ(run.counts.http_errors, 5u);
  EXPECT_EQ(percentile_ns(run.latency, 99), 12'300'000);
  EXPECT_EQ(percentile_ns(run.latency, 99.9), -1);  // null
  EXPECT_TRUE(has_note(run, "7 requests were still open"));
}

TEST(Traps, OhaCsvAndReport) {
  const ClientRun csv = import_text_ok(
      "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n"
      "0.000512,0.0001,0.0004,0.002,0.0025,12,200\n0.0001,0,0,0.001,0.0011,12,404\n",
      "x.csv");
  EXPECT_EQ(csv.format, "oha-csv");
  EXPECT_EQ(csv.samples.at(0).start.count(), 100'000);
  EXPECT_EQ(csv.samples.at(1).connect.count(), 400'000);
  EXPECT_EQ(csv.samples.at(1).latency.count(), 2'500'000);
  EXPECT_FALSE(csv.counts.unanswered);

  const ClientRun report = import_text_ok(
      "Summary:\n  Success rate:\t100.00%\n  Total:\t2001.2000 ms\n  Slowest:\t20.5000 ms\n"
      "  Fastest:\t0.1000 ms\n  Average:\t1.5000 ms\n  Requests/sec:\t50.0\n\n"
      "  Total data:\t1.00 KiB\n\nResponse time histogram:\n  0.100 ms [1] |\n\n"
      "Response time distribution:\n  50.00% in 1.0000 ms\n  99.00% in 19.0000 ms\n\n\n"
      "Details (average, fastest, slowest):\n  DNS+dialup:\t0.1 ms, 0.1 ms, 0.1 ms\n\n"
      "Status code distribution:\n  [200] 100 responses\n\nError distribution:\n  [2] timeout\n",
      "oha");
  EXPECT_EQ(report.format, "oha");
  EXPECT_EQ(report.counts.answered, 100u);
  EXPECT_EQ(report.counts.unanswered, 2u);
  EXPECT_EQ(percentile_ns(report.latency, 99), 19'000'000);
  EXPECT_EQ(report.latency.max->resolution.count(), 100);
  EXPECT_EQ(report.duration->count(), 2'001'200'000);
}

TEST(Traps, AbFailuresByLengthAreAnswers) {
  std::string text = read_sample("ab.txt");
  const std::string none = "Failed requests:        0\n";
  text.replace(text.find(none), none.size(),
               "Failed requests:        203\n"
               "   (Connect: 0, Receive: 1, Length: 200, Exceptions: 2)\n"
               "Non-2xx responses:      17\n");
  const ClientRun run = import_text_ok(text, "ab.txt");
  EXPECT_EQ(run.counts.answered, 498u);  // the one of Receive is one of Exceptions, too
  EXPECT_EQ(run.counts.unanswered, 2u);
  EXPECT_EQ(run.counts.http_errors, 17u);
  EXPECT_TRUE(has_note(run, "198 of ab's failed requests only differ in length"));
}

TEST(Traps, AbThatGaveUp) {
  const ClientRun run = import_text_ok(
      "This is ApacheBench, Version 2.3 <$Revision: 1901567 $>\n"
      "Benchmarking 127.0.0.1 (be patient)...apr_socket_recv: Connection refused (111)\n"
      "Total of 12 requests completed\n",
      "ab");
  EXPECT_EQ(run.counts.answered, 12u);
  EXPECT_EQ(run.counts.requests, 13u);
  EXPECT_EQ(run.counts.errors.at(0).text, "apr_socket_recv: Connection refused (111)");
  EXPECT_TRUE(has_note(run, "ab gave up"));
}

TEST(Traps, SiegeReportOnStderr) {
  const ClientRun run = import_text_ok(
      "** Preparing 10 concurrent users for battle.\nThe server is now under siege...\n"
      "Transactions:\t\t      120    hits\nAvailability:\t\t       96.00 %\n"
      "Elapsed time:\t\t        1.31 secs\nResponse time:\t\t       12.34 ms\n"
      "Successful transactions:      115\nFailed transactions:\t        5\n"
      "Longest transaction:\t       80.10 ms\nShortest transaction:\t        0.20 ms\n",
      "siege");
  EXPECT_EQ(run.counts.requests, 125u);
  EXPECT_EQ(run.counts.tool_failed, 5u);
  EXPECT_FALSE(run.counts.answered);
  EXPECT_EQ(run.latency.max->value.count(), 80'100'000);
  EXPECT_EQ(run.latency.max->resolution.count(), 10'000);
}

TEST(Traps, CutLinesAreLeftOutAndSaid) {
  for (const char* name :
       {"hey.csv", "k6-out.csv", "k6-out.json", "vegeta.json", "vegeta.csv", "ab-gnuplot.tsv"}) {
    SCOPED_TRACE(name);
    std::string text = read_sample(name);
    const std::size_t whole = import_text_ok(text, name).samples.size();
    text.resize(text.size() - 5);
    const ClientRun run = import_text_ok(text, name);
    EXPECT_LE(run.samples.size(), whole);
    EXPECT_TRUE(has_note(run, "ends within a line"));
  }
}

}  // namespace
}  // namespace srvprof
