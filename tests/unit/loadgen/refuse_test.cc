// Input that is no run: the error says what, where and what to do.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "dump.h"

namespace srvprof {
namespace {

Error refusal(std::string_view text, std::string_view hint) {
  Result<ClientRun> run = import_run(text, hint);
  EXPECT_FALSE(run.ok()) << hint << ": read as " << (run.ok() ? run->format : "");
  return run.ok() ? Error{} : run.take_error();
}

TEST(Refuse, WhatIsNoOutputOfALoadGenerator) {
  EXPECT_EQ(refusal("", "x").what, "reading x: there is nothing in it");
  EXPECT_EQ(refusal(" \n\n", "x").what, "reading x: there is nothing in it");
  const Error unknown = refusal("hello\nworld\n", "");
  EXPECT_EQ(unknown.what,
            "reading the load's output: not the output of a load generator that srvprof knows");
  EXPECT_NE(unknown.hint.find("srvprof list loadgens"), std::string::npos);
  EXPECT_NE(refusal("\x1f\x8b\x08 gz", "k6.json.gz").hint.find("gunzip"), std::string::npos);
  EXPECT_NE(refusal(std::string_view("\x0c\xff\x81\x02\x01\0\x02", 7), "r.gob")
                .hint.find("vegeta encode"),
            std::string::npos);
  EXPECT_EQ(refusal("a\n", "bad\x1b[31m\nname").what.find('\x1b'), std::string::npos);
  EXPECT_NE(refusal(read_sample("vegeta-hist.txt"), "h.txt").what.find("not the output"),
            std::string::npos);
}

TEST(Refuse, ReportsThatEndTooEarly) {
  const std::pair<const char*, const char*> kCuts[] = {
      {"wrk-latency.txt", "requests in"},
      {"hey.txt", "Status code distribution"},
      {"ab.txt", "Complete requests"},
      {"autocannon-table.txt", "33k requests"},
      {"k6-stdout.txt", "http_reqs"},
      {"vegeta-report.txt", "Error Set"},
      {"vegeta-hdrplot.txt", "1.234829   1.000000"},
      {"k6-summary-export.json", "http_req_waiting"},
      {"autocannon.json", "throughput"},
      {"vegeta-report.json", "\"errors\":[]"},
      {"siege.txt", "shortest"},
  };
  for (const auto& [name, from] : kCuts) {
    std::string text = read_sample(name);
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << name;
    text.resize(at);
    const Error error = refusal(text, name);
    EXPECT_EQ(error.what.find(fmt::format("reading {} as ", name)), 0u) << error.what;
    EXPECT_NE(error.what.find("line "), std::string::npos) << error.what;
    EXPECT_NE(error.what.find("ends before"), std::string::npos) << error.what;
  }
}

// A sample, what stands in it, what is put in its place, and what the error says.
struct Damage {
  const char* file;
  const char* from;
  const char* to;
  const char* what;
};

TEST(Refuse, BadFieldsAreNamedWithTheirLine) {
  constexpr Damage kDamages[] = {
      {"wrk-latency.txt", "44.17ms", "44.17xs", "line 10: not 'PERCENT% TIME'"},
      {"wrk-latency.txt", "36371 requests", "-5 requests", "line 11: not 'N requests in TIME"},
      {"hey.txt", "in 0.0048 secs", "in -1 secs", "line 31: not 'PERCENT% in TIME secs'"},
      {"hey.txt", "[200]", "[2000]", "line 41: not '[STATUS] N responses'"},
      {"hey.csv", "0.0064,", "0.0o64,", "line 2: a time is not a number of seconds: '0.0o64'"},
      {"hey.csv", ",200,0.0008", ",9,0.0008", "line 2: status-code is not an HTTP status: '9'"},
      {"hey.csv", ",200,0.0008", ",0.0008", "line 2: 7 fields, not 8"},
      {"hey.csv", ",status-code", ",status", "line 1: the columns status-code and offset"},
      {"k6-out.csv", "1796038610,0.209932", "now,0.209932",
       "line 3: timestamp is not a time: 'now'"},
      {"k6-out.csv", "1796038610,0.209932", "1796038610,-2", "line 3: metric_value is not"},
      {"k6-out.json", "2026-11-30T11:36:50.298683714Z\",\"value\":0.209932",
       "never\",\"value\":0.2", "line 4: data.time is not an RFC 3339 time: 'never'"},
      {"k6-out.json", "\"value\":0.209932", "\"value\":\"0.209932\"", "line 4: data.value is not"},
      {"k6-out.json", "\"value\":0.209932", "\"value\":", "line 4: this is not well-formed JSON"},
      {"vegeta.json", "\"latency\":1234829", "\"latency\":-1", "line 1: latency is not"},
      {"vegeta.json", "\"code\":200", "\"code\":70000", "line 1: code is not an HTTP status"},
      {"vegeta.csv", "1796038608091208611,200", "1796038608091208611,OK",
       "line 2: the code is not"},
      {"autocannon.json", "\"total\":27840", "\"total\":-27840", "a count is missing"},
      {"autocannon-table.txt", " 18 ms", " x ms", "line 5: Max is not a number of ms"},
      {"vegeta-report.txt", "200:400", "200:401", "not those of the total"},
      {"vegeta-report.txt", "148.651", "abc", "line 3: not a list of values"},
      {"vegeta-report.json", "\"requests\":400", "\"requests\":4e300", "requests is not the sum"},
      {"siege.txt", "11007", "many", "line 4: this is not well-formed JSON"},
      {"ab.txt", "Complete requests:      500", "Complete requests:      5e2",
       "line 23: Complete requests is not a count: '5e2'"},
      {"ab-gnuplot.tsv", "\t1796038605\t0\t0\t0\t0", "\tx\t0\t0\t0\t0", "line 2: a time is not"},
      {"ab-percentiles.csv", "50,0.716", "500,0.716", "line 52: not a whole row"},
      {"truthclient.csv", ",200,", ",20,", "line 2: status is not an HTTP status: '20'"},
  };
  for (const Damage& damage : kDamages) {
    std::string text = read_sample(damage.file);
    const auto at = text.find(damage.from);
    ASSERT_NE(at, std::string::npos) << damage.file << " " << damage.from;
    text.replace(at, std::string_view(damage.from).size(), damage.to);
    const Error error = refusal(text, damage.file);
    EXPECT_NE(error.what.find(damage.what), std::string::npos)
        << damage.file << ": " << error.what << "\nnot: " << damage.what;
  }
}

TEST(Refuse, HostileTextInErrorsIsEscapedAndCut) {
  const std::string text = "start_s,latency_ms\n\x01\x1b[2J" + std::string(5000, 'a') + ",1\n";
  const Error error = refusal(text, "x");
  EXPECT_LT(error.what.size(), 300u);
  for (const char c : error.what) EXPECT_GE(static_cast<unsigned char>(c), 0x20u);
}

TEST(Bounds, ErrorTextsAndPathsAreCut) {
  std::string text = "start_s,latency_ms,status,path,error\n";
  for (int i = 0; i < 70'000; ++i) text += fmt::format("{},1,200,/p{},e{}\n", i, i, i);
  text += "1,1,200,/" + std::string(5000, 'x') + ",\n";
  const ClientRun run = import_text_ok(text, "x.csv");
  EXPECT_EQ(run.samples.size(), 70'001u);
  EXPECT_EQ(run.paths.size(), kMaxClientPaths);
  EXPECT_EQ(run.counts.errors.size(), kMaxErrorTexts);
  EXPECT_TRUE(has_note(run, "more than 65535 different paths"));
  std::uint64_t errors = 0;
  for (const ErrorCount& e : run.counts.errors) errors += e.count;
  EXPECT_EQ(errors, 70'000u);
}

}  // namespace
}  // namespace srvprof
