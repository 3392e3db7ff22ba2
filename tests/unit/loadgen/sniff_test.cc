#include <gtest/gtest.h>

#include <set>

#include "dump.h"

namespace srvprof {
namespace {

TEST(Sniff, EverySampleIsKnownByItsTextAlone) {
  const std::pair<const char*, const char*> kFormats[] = {
      {"ab.txt", "ab"},
      {"ab-gnuplot.tsv", "ab-gnuplot"},
      {"ab-percentiles.csv", "ab-percentiles"},
      {"autocannon.json", "autocannon-json"},
      {"autocannon-refused.json", "autocannon-json"},
      {"autocannon-table.txt", "autocannon"},
      {"autocannon-raw.csv", "autocannon-csv"},
      {"hey.txt", "hey"},
      {"hey-refused.txt", "hey"},
      {"hey.csv", "hey-csv"},
      {"hey-refused.csv", "hey-csv"},
      {"k6-out.json", "k6-json"},
      {"k6-out-refused.json", "k6-json"},
      {"k6-out.csv", "k6-csv"},
      {"k6-out-unix_micro.csv", "k6-csv"},
      {"k6-summary-export.json", "k6-summary"},
      {"k6-handleSummary.json", "k6-summary"},
      {"k6-handleSummary-new.json", "k6-summary"},
      {"k6-stdout.txt", "k6"},
      {"loadgen.csv", "csv"},
      {"ab-failed.txt", "ab"},
      {"ab-refused.txt", "ab"},
      {"oha.json", "oha-json"},
      {"oha-refused.json", "oha-json"},
      {"oha.csv", "oha-csv"},
      {"oha-refused.csv", "oha-csv"},
      {"oha.txt", "oha"},
      {"oha-refused.txt", "oha"},
      {"siege.txt", "siege-json"},
      {"siege-failed.json", "siege-json"},
      {"siege-failed.txt", "siege"},
      {"truthclient.csv", "truthclient"},
      {"vegeta.json", "vegeta-json"},
      {"vegeta-nobody.json", "vegeta-json"},
      {"vegeta-refused.json", "vegeta-json"},
      {"vegeta.csv", "vegeta-csv"},
      {"vegeta-report.json", "vegeta-report-json"},
      {"vegeta-report.txt", "vegeta-report"},
      {"vegeta-hdrplot.txt", "vegeta-hdrplot"},
      {"wrk-latency.txt", "wrk"},
      {"wrk-refused.txt", "wrk"},
      {"wrk-done-lua.txt", "wrk"},
      {"wrk-done-lua-quiet.txt", "wrk"},
      {"wrk-done-lua-noisy.txt", "wrk"},
      {"wrk2-latency.txt", "wrk2"},
      {"wrk2-u_latency.txt", "wrk2"},
  };
  for (const auto& [file, format] : kFormats) {
    EXPECT_EQ(import_text_ok(read_sample(file), "x").format, format) << file;
  }
}

TEST(Sniff, ExactlyOneFormatRecognisesEachSample) {
  for (const std::string& name : sample_names()) {
    const std::string text = read_sample(name);
    int recognised = 0;
    for (const LoadFormat& format : load_formats()) {
      recognised += format.recognise(std::string_view(text).substr(0, kHeadBytes)) ? 1 : 0;
    }
    // vegeta's histogram report is none (refuse_test.cc), and the columns of the script around
    // autocannon are plain CSV too: the list's order decides.
    const int want = name == "vegeta-hist.txt" ? 0 : name == "autocannon-raw.csv" ? 2 : 1;
    EXPECT_EQ(recognised, want) << name;
  }
}

TEST(Sniff, OtherOutputBeforeItDoesNotHide) {
  for (const char* name : {"wrk-latency.txt", "hey.txt", "autocannon.json", "k6-stdout.txt",
                           "vegeta-report.txt", "k6-summary-export.json", "siege.txt", "ab.txt"}) {
    const std::string text = "starting the load\n\nnpm notice: new version\n" + read_sample(name);
    EXPECT_EQ(dump_run(import_text_ok(text, "sh")), dump_run(import_sample(name))) << name;
  }
}

TEST(Sniff, WindowsLineEndsAndByteOrderMark) {
  for (const char* name : {"wrk-latency.txt", "hey.csv", "k6-out.csv", "loadgen.csv"}) {
    std::string text = "\xef\xbb\xbf";
    for (const char c : read_sample(name))
      text += c == '\n' ? std::string("\r\n") : std::string(1, c);
    EXPECT_EQ(dump_run(import_text_ok(text, name)), dump_run(import_sample(name))) << name;
  }
}

TEST(Formats, HaveWordsForTheList) {
  std::set<std::string_view> names;
  for (const LoadFormat& format : load_formats()) {
    EXPECT_TRUE(names.insert(format.name).second) << format.name;
    EXPECT_FALSE(format.tool.empty() || format.doc.empty() || format.keeps.empty());
    EXPECT_TRUE(format.recognise != nullptr && format.import != nullptr);
    EXPECT_EQ(format.name.find(' '), std::string_view::npos);
  }
}

}  // namespace
}  // namespace srvprof
