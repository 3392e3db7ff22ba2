#include <gtest/gtest.h>

#include "render/all.h"
#include "render/layout.h"
#include "sample.h"

namespace srvprof {
namespace {

std::string text_of(const Report& report, RenderOptions options = {}) {
  return render_to_string(*find_format("text"), Document{nullptr, &report, {}}, options);
}

// Position of `what`; a failure if it is missing.
std::size_t find(const std::string& text, std::string_view what) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what << " is missing in\n" << text;
  return at;
}

TEST(Text, SaysTheVerdictFirst) {
  const std::string text = text_of(sample::report());
  const std::size_t head = find(text,
                                "srvprof: node auth.js (pid 4242) :21020, 00:30 recorded, 123,870 "
                                "requests, 0 lost, own cost");
  const std::size_t verdict = find(text, "VERDICT  GET /health is slow in its tail: p99 41.3 ms");
  const std::size_t finding = find(text, "  1  78 %  run queue, behind this process's own threads");
  const std::size_t routes = find(text, "ROUTES  (ms)");
  const std::size_t ledger = find(text, "LEDGER  GET /health [steady]");
  const std::size_t coverage = find(text, "COVERAGE");
  EXPECT_EQ(head, 0u);
  EXPECT_LT(verdict, finding);
  EXPECT_LT(finding, routes);
  EXPECT_LT(routes, ledger);
  EXPECT_LT(ledger, coverage);
}

TEST(Text, AFindingHasEvidenceAndWhatWasRuledOut) {
  const std::string text = text_of(sample::report());
  find(text, "31.6 ms of the gap, 312 stalls, 391 of the 410 slow requests");
  find(text, "16 short-lived threads held both CPUs");
  find(text, "ruled out: no quota is set; no other process above 1 %");
  find(text, "try: a smaller UV_THREADPOOL_SIZE");
  find(text, "without it: p99 [8.0 .. 12.0] ms (estimate)");
  find(text, " 1.9 %  unexplained");
}

TEST(Text, DoesNotClaimPercentilesWithoutEnoughRequests) {
  const std::string text = text_of(sample::report());
  find(text, "too few requests for this percentile");
  EXPECT_EQ(text.find("88.0"), std::string::npos);
}

TEST(Text, AlwaysShowsUnexplained) {
  Report report = sample::report();
  report.groups[0].tail.cell = {};
  report.groups[0].tail.cell[2][6] = std::chrono::milliseconds(1);
  const std::string text = text_of(report);
  find(text.substr(find(text, "LEDGER")), "unexplained");
}

TEST(Text, HasNoControlCharacterButNewline) {
  for (const std::string& text :
       {text_of(sample::report()), text_of(sample::report(), {.stats = true, .verbose = true}), [] {
          const Report report = sample::report();
          std::string out;
          EXPECT_TRUE(render_requests(Document{nullptr, &report, {}}, {}, [&](std::string_view s) {
                        out += s;
                        return Status();
                      }).ok());
          return out;
        }()}) {
    for (char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20) << text;
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_EQ(text.find('\xff'), std::string::npos);
  }
}

TEST(Text, ColoursOnlyWhenAsked) {
  EXPECT_EQ(text_of(sample::report()).find('\x1b'), std::string::npos);
  EXPECT_NE(text_of(sample::report(), {.color = true}).find("\x1b[1mVERDICT"), std::string::npos);
}

TEST(Text, ColouredLinesBreakWherePlainOnesDo) {
  std::string colored = text_of(sample::report(), {.color = true, .stats = true});
  std::string stripped;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b') {
      i = colored.find('m', i);
    } else {
      stripped += colored[i];
    }
  }
  EXPECT_EQ(stripped, text_of(sample::report(), {.stats = true}));
}

TEST(Text, KeepsToItsWidth) {
  Report report = sample::report();
  report.groups[0].findings[0].evidence = {std::string(40, 'a') + " " + std::string(40, 'b') + " " +
                                           std::string(40, 'c')};
  report.groups.pop_back();
  report.verdict.pop_back();
  report.coverage.erase(report.coverage.begin() + 1);
  report.groups[0].findings[0].culprits.clear();
  report.machine.clear();
  const std::string text = text_of(report);
  std::size_t begin = 0;
  while (begin < text.size()) {
    const std::size_t end = text.find('\n', begin);
    EXPECT_LE(display_width(text.substr(begin, end - begin)), 110u)
        << text.substr(begin, end - begin);
    begin = end + 1;
  }
}

TEST(Text, AnEmptyReportSaysSo) {
  find(text_of(Report{}), "nothing to say: no request was recorded");
}

TEST(Text, ARecordingThatWasCutSaysSo) {
  Report report = sample::report();
  report.header.clean_end = false;
  find(text_of(report), "not closed in order");
}

TEST(Text, ErrorsOfTheSinkComeBack) {
  const Report report = sample::report();
  for (const Format& format : formats()) {
    if ((format.needs & Format::kReport) == 0 || format.name == "csv") continue;
    const Status status =
        format.render(Document{nullptr, &report, {}}, {}, [](std::string_view) -> Status {
          return Error{"full", "", {}};
        });
    EXPECT_FALSE(status.ok()) << format.name;
  }
}

}  // namespace
}  // namespace srvprof
