// Figures of the samples, worked out from the files by other means (by eye, or with a short script
// in another language), in nanoseconds.
#include <gtest/gtest.h>

#include "dump.h"

namespace srvprof {
namespace {

struct SampleFigures {
  const char* file;
  std::uint64_t answered;
  long long first_start, last_start, min, p50, p99, max, mean;
};

constexpr SampleFigures kRows[] = {
    {"hey.csv", 100, 300'000, 16'600'000, 100'000, 700'000, 8'800'000, 8'900'000, 1'466'000},
    {"autocannon-raw.csv", 100, 1796042921820488600, 1796042921839510500, 200'100, 767'800,
     9'299'400, 9'411'600, 1'817'725},
    {"loadgen.csv", 200, 1796038607019468248, 1796038607168689924, 60'950, 527'967, 4'018'184,
     4'775'472, 746'868},
    {"k6-out.csv", 20, 1796038609999037156, 1796038609999912680, 87'320, 547'596, 962'844, 962'844,
     493'276},
    {"k6-out-unix_micro.csv", 20, 1796040658665897637, 1796040658717785172, 242'572, 1'058'436,
     17'417'067, 17'417'067, 4'300'719},
    {"k6-out.json", 19, 1796038610298311710, 1796038610300632236, 87'320, 547'596, 962'844, 962'844,
     482'957},
    {"vegeta.json", 6, 1796038608085746297, 1796038608111344937, 469'819, 547'135, 1'234'829,
     1'234'829, 675'234},
    {"vegeta.csv", 6, 1796038608085746297, 1796038608111344937, 469'819, 547'135, 1'234'829,
     1'234'829, 675'234},
    {"vegeta-nobody.json", 60, 1796040635350799155, 1796040635940953411, 446'925, 543'509,
     1'350'571, 1'350'571, 579'253},
    {"oha.csv", 200, 653'792, 29'062'170, 174'166, 712'410, 6'322'529, 6'326'496, 1'414'527},
    {"ab-gnuplot.tsv", 51, 1796038605000000000, 1796038605000000000, 0, 1'000'000, 3'000'000,
     3'000'000, 1'000'000},
};

TEST(Figures, SamplesGiveTheFiguresOfTheirRows) {
  for (const SampleFigures& want : kRows) {
    SCOPED_TRACE(want.file);
    const ClientRun run = import_sample(want.file);
    ASSERT_EQ(run.samples.size(), want.answered);
    EXPECT_EQ(run.counts.answered, want.answered);
    EXPECT_EQ(run.samples.front().start.count(), want.first_start);
    EXPECT_EQ(run.samples.back().start.count(), want.last_start);
    EXPECT_EQ(run.latency.min->value.count(), want.min);
    EXPECT_EQ(run.latency.max->value.count(), want.max);
    EXPECT_EQ(run.latency.mean->value.count(), want.mean);
    EXPECT_EQ(percentile_ns(run.latency, 50), want.p50);
    EXPECT_EQ(percentile_ns(run.latency, 99), want.p99);
    EXPECT_TRUE(run.summary_from_samples);
  }
}

struct ReportFigures {
  const char* file;
  std::uint64_t requests;
  double percent;
  long long latency, resolution, mean, max, duration;
};

constexpr ReportFigures kReports[] = {
    {"wrk-latency.txt", 36371, 99, 44'170'000, 10'000, 2'060'000, 104'330'000, 2'100'000'000},
    {"wrk-done-lua.txt", 13639, 99.9, 265'078'000, 1'000, 24'876'200, 268'162'000, 2'090'016'000},
    {"wrk-done-lua-quiet.txt", 56302, 50, 251'000, 1'000, 1'681'500, 23'878'000, 2'099'754'000},
    {"wrk2-latency.txt", 5976, 99.9, 8'850'000, 10'000, 1'056'000, 10'592'000, 3'000'000'000},
    {"wrk2-u_latency.txt", 5980, 99, 2'400'000, 10'000, 1'044'000, 5'064'000, 3'000'000'000},
    {"hey.txt", 2000, 95, 2'300'000, 100'000, 900'000, 9'700'000, 186'500'000},
    {"k6-summary-export.json", 7944, 99.9, 16'943'312, 1, 1'169'964, 32'592'916, 2'004'686'954},
    {"k6-handleSummary.json", 5867, 95, 1'862'012, 1, 769'659, 18'391'017, 1'003'864'196},
    {"k6-handleSummary-new.json", 5314, 95, 2'348'505, 1, 852'433, 25'640'763, 1'001'345'625},
    {"k6-stdout.txt", 7944, 99, 8'520'000, 10'000, 1'160'000, 32'590'000, 2'004'686'955},
    {"autocannon.json", 27840, 97.5, 2'000'000, 1'000'000, 230'000, 25'000'000, 2'010'000'000},
    {"autocannon-table.txt", 33000, 99.9, 7'000'000, 1'000'000, 180'000, 18'000'000, 2'010'000'000},
    {"vegeta-report.json", 400, 95, 525'928, 1, 285'698, 1'234'829, 1'995'246'362},
    {"vegeta-report.txt", 400, 95, 525'928, 1, 285'698, 1'235'000, 1'995'000'000},
    {"ab.txt", 500, 98, 2'000'000, 1'000'000, 1'000'000, 3'000'000, 43'000'000},
    {"oha.json", 200, 99.9, 9'822'455, 1, 2'274'793, 9'822'455, 48'846'809},
    {"oha.txt", 200, 95, 4'368'600, 100, 971'000, 5'460'500, 22'136'200},
};

TEST(Figures, ReportsGiveTheFiguresThatTheyPrint) {
  for (const ReportFigures& want : kReports) {
    SCOPED_TRACE(want.file);
    const ClientRun run = import_sample(want.file);
    EXPECT_EQ(run.counts.requests, want.requests);
    EXPECT_EQ(percentile_ns(run.latency, want.percent), want.latency);
    for (const ClientPercentile& p : run.latency.percentiles) {
      if (p.percent == want.percent) {
        EXPECT_EQ(p.latency.resolution.count(), want.resolution);
      }
    }
    ASSERT_TRUE(run.latency.mean && run.latency.max && run.duration);
    EXPECT_EQ(run.latency.mean->value.count(), want.mean);
    EXPECT_EQ(run.latency.max->value.count(), want.max);
    EXPECT_NEAR(static_cast<double>(run.duration->count()), static_cast<double>(want.duration),
                1e3);
    EXPECT_FALSE(run.summary_from_samples);
    EXPECT_TRUE(run.samples.empty());
  }
}

TEST(Figures, ReportsWithoutSomeFigures) {
  const ClientRun siege = import_sample("siege.txt");
  EXPECT_EQ(siege.counts.requests, 11007u);
  EXPECT_EQ(siege.counts.answered, 11007u);
  EXPECT_EQ(siege.latency.max->value.count(), 10'000'000);
  EXPECT_EQ(siege.duration->count(), 1'310'000'000);
  EXPECT_TRUE(siege.latency.percentiles.empty());

  const ClientRun ab = import_sample("ab-percentiles.csv");
  EXPECT_FALSE(ab.counts.requests);
  EXPECT_EQ(ab.latency.percentiles.size(), 101u);
  EXPECT_EQ(percentile_ns(ab.latency, 99), 2'483'000);
  EXPECT_EQ(ab.latency.min->value.count(), 142'000);

  const ClientRun plot = import_sample("vegeta-hdrplot.txt");
  EXPECT_EQ(plot.counts.requests, 400u);
  EXPECT_EQ(percentile_ns(plot.latency, 90), 424'303);
  EXPECT_EQ(plot.latency.max->value.count(), 1'234'829);
}

TEST(Figures, UncorrectedLatencyOfWrk2IsKeptBesideTheOther) {
  const ClientRun run = import_sample("wrk2-u_latency.txt");
  EXPECT_EQ(run.kind, LatencyKind::kAsIntended);
  ASSERT_TRUE(run.as_sent);
  EXPECT_EQ(percentile_ns(*run.as_sent, 99), 1'000'000);
  EXPECT_EQ(percentile_ns(*run.as_sent, 50), 189'000);
  EXPECT_EQ(run.as_sent->max->value.count(), 3'738'000);
  EXPECT_EQ(run.as_sent->count, 5975u);
}

// The same run seen by hey's two outputs cannot be had; these are runs with the port closed.
TEST(Figures, FailedRuns) {
  const ClientRun hey = import_sample("hey-refused.txt");
  EXPECT_EQ(hey.counts.answered, 0u);
  EXPECT_EQ(hey.counts.unanswered, 20u);
  EXPECT_EQ(hey.counts.errors.at(0).count, 20u);
  EXPECT_TRUE(hey.latency.empty());

  const ClientRun hey_csv = import_sample("hey-refused.csv");
  EXPECT_EQ(hey_csv.counts.answered, 0u);
  EXPECT_FALSE(hey_csv.counts.unanswered);
  EXPECT_TRUE(has_note(hey_csv, "failed requests are not in hey's CSV"));

  const ClientRun autocannon = import_sample("autocannon-refused.json");
  EXPECT_EQ(autocannon.counts.answered, 0u);
  EXPECT_EQ(autocannon.counts.unanswered, 4324u);
  EXPECT_TRUE(autocannon.latency.empty());

  const ClientRun vegeta = import_sample("vegeta-refused.json");
  EXPECT_EQ(vegeta.counts.answered, 0u);
  EXPECT_EQ(vegeta.counts.unanswered, 20u);
  EXPECT_EQ(vegeta.samples.size(), 20u);
  EXPECT_TRUE(vegeta.samples.front().failed);
  EXPECT_EQ(vegeta.samples.front().start.count(), 1796040636955809665);
  EXPECT_TRUE(vegeta.latency.empty());

  const ClientRun k6 = import_sample("k6-out-refused.json");
  EXPECT_EQ(k6.counts.answered, 0u);
  EXPECT_EQ(k6.counts.unanswered, 6u);
  EXPECT_EQ(k6.counts.errors.at(0).text, "dial: connection refused");
  EXPECT_EQ(k6.samples.front().latency, kNotTold);
  EXPECT_TRUE(k6.latency.empty());

  const ClientRun wrk = import_sample("wrk-refused.txt");
  EXPECT_EQ(wrk.counts.answered, 0u);
  EXPECT_TRUE(has_note(wrk, "could not connect"));
}

struct ServerCounts {
  const char* file;
  std::optional<std::uint64_t> requests, answered, unanswered, tool_failed, http_errors;
};
constexpr std::optional<std::uint64_t> kNone;

// What the server counted in the same runs, where the tool tells it.
TEST(Figures, FailedRunsAgreeWithTheServersCounts) {
  const ServerCounts kRuns[] = {
      // 342 times 200, 27 times 500, 5 times 404, 26 resets
      {"ab-failed.txt", 400, 374, 26, 110, 32},
      {"ab-reset.txt", 100, 0, 100, 200, 0},
      {"ab-gave-up.txt", 5, 4, 1, kNone, kNone},
      {"ab-refused.txt", 1, 0, 1, kNone, kNone},
      {"ab-timeout.txt", 1, 0, 1, kNone, kNone},
      // 256 times 200, 20 times 500, 4 times 404, 20 resets
      {"siege-failed.json", 300, kNone, kNone, 40, kNone},
      {"siege-failed.txt", 300, kNone, kNone, 40, kNone},
      {"siege-4xx.txt", 300, 300, 0, 0, 300},
      {"siege-5xx.json", 300, kNone, kNone, 300, kNone},
      {"siege-refused.json", 12, kNone, kNone, 12, kNone},
      // the same
      {"oha-failed.json", 300, 280, 20, kNone, 24},
      {"oha-failed.txt", 300, 280, 20, kNone, 24},
      {"oha-failed.csv", kNone, 280, kNone, kNone, 24},
      {"oha-refused.json", 20, 0, 20, kNone, 0},
      {"oha-refused.txt", 20, 0, 20, kNone, 0},
      {"oha-refused.csv", kNone, 0, kNone, kNone, 0},
      // 20 came, 10 were answered before the time was over
      {"oha-deadline.json", 10, 10, 0, kNone, 0},
      {"oha-deadline.txt", 10, 10, 0, kNone, 0},
      {"oha-timeout.json", 20, 0, 20, kNone, 0},
      // 366 times 200, 28 times 500, 6 times 404, and 28 resets, after which Go's client sent again
      {"hey-failed.txt", 400, 400, 0, kNone, 34},
      {"hey-failed.csv", kNone, 400, kNone, kNone, 34},
      // 36 times 200, 4 never
      {"hey-timeout.txt", 40, 36, 4, kNone, 0},
      // 9,244 times 200, 722 times 500, 145 times 404, 722 resets; two answers were on their way at its end
      {"wrk-failed.txt", 10'831, 10'109, 722, kNone, 867},
      // 36 times 200, 4 never: of these wrk does not speak
      {"wrk-timeout.txt", 36, 36, 0, kNone, 0},
      // 342 times 200, 27 times 500, 5 times 404, 26 resets
      {"autocannon-failed.json", 400, 374, 26, kNone, 32},
      {"autocannon-table-failed.txt", 400, 374, kNone, 26, kNone},
      // 108 times 200, 12 never, of which 4 were on their way at its end
      {"autocannon-timeout.json", 116, 108, 8, kNone, 0},
      // 183 times 200, 14 times 500, 3 times 404, and 14 resets, after which Go's client sent again
      {"vegeta-failed.csv", 200, 200, 0, kNone, 17},
      {"vegeta-report-failed.txt", 200, 200, 0, kNone, 17},
      {"vegeta-report-failed.json", 200, 200, 0, kNone, 17},
      // 45 times 200, 5 never
      {"vegeta-timeout.csv", 50, 45, 5, kNone, 0},
      {"vegeta-report-timeout.json", 50, 45, 5, kNone, 0},
      {"vegeta-refused.csv", 20, 0, 20, kNone, kNone},
      {"vegeta-report-refused.txt", 20, 0, 20, kNone, 0},
      {"vegeta-report-refused.json", 20, 0, 20, kNone, 0},
  };
  for (const ServerCounts& want : kRuns) {
    SCOPED_TRACE(want.file);
    const ClientCounts got = import_sample(want.file).counts;
    EXPECT_EQ(got.requests, want.requests);
    EXPECT_EQ(got.answered, want.answered);
    EXPECT_EQ(got.unanswered, want.unanswered);
    EXPECT_EQ(got.tool_failed, want.tool_failed);
    EXPECT_EQ(got.http_errors, want.http_errors);
  }
  EXPECT_TRUE(has_note(import_sample("ab-failed.txt"), "32 of ab's failed requests only differ"));
  EXPECT_FALSE(has_note(import_sample("ab-reset.txt"), "only differ"));
}

}  // namespace
}  // namespace srvprof
