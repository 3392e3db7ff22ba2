// A gate for people and for test reports.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "render/diff.h"
#include "render/layout.h"
#include "render/xml.h"

namespace srvprof {
namespace {

std::string about(const LimitResult& r) {
  std::string out = r.route;
  if (!r.phase.empty()) out += fmt::format("{}[{}]", out.empty() ? "" : " ", r.phase);
  return out;
}

std::size_t failures_of(const Gate& gate) {
  return static_cast<std::size_t>(
      std::count_if(gate.results.begin(), gate.results.end(),
                    [](const LimitResult& r) { return r.judged && !r.passed; }));
}

}  // namespace

std::string gate_text(const Gate& gate, const std::string& file, const RenderOptions& options) {
  const Paint paint(options.color);
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kLeft, TextTable::Align::kLeft,
                   TextTable::Align::kLeft});
  table.row({"", "LIMIT", "OF", "FOUND"});
  for (const LimitResult& r : gate.results) {
    const std::string mark = !r.judged  ? paint.yellow("skip")
                             : r.passed ? paint.green("ok")
                                        : paint.red("FAIL");
    table.row({mark, escape_text(r.limit), shorten_middle(escape_text(about(r)), 44),
               escape_text(r.words)});
  }
  return table.text("", paint) +
         fmt::format("{}: {}\n", escape_text(file),
                     gate.passed ? "every limit is kept"
                     : failures_of(gate) > 0
                         ? fmt::format("{} of {} not kept", failures_of(gate), gate.results.size())
                         : "a limit could not be judged: too few requests");
}

std::string gate_junit(const Gate& gate, const std::string& file) {
  std::size_t skipped = 0;
  std::string cases;
  for (const LimitResult& r : gate.results) {
    cases += fmt::format("  <testcase classname=\"srvprof\" name=\"{}\"",
                         xml_text(r.limit + (about(r).empty() ? "" : " " + about(r))));
    if (!r.judged) {
      ++skipped;
      cases += fmt::format("><skipped message=\"{}\"/></testcase>\n", xml_text(r.words));
    } else if (!r.passed) {
      cases += fmt::format("><failure message=\"{}\"/></testcase>\n", xml_text(r.words));
    } else {
      cases += "/>\n";
    }
  }
  // A limit that nothing was held against is no success: it fails the suite by a case of its own.
  std::size_t tests = gate.results.size(), failures = failures_of(gate);
  if (!gate.passed && failures == 0) {
    cases +=
        "  <testcase classname=\"srvprof\" name=\"limits are judged\"><failure "
        "message=\"a limit could not be judged: too few requests\"/></testcase>\n";
    ++tests, ++failures;
  }
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuite name=\"{}\" tests=\"{}\" "
      "failures=\"{}\" skipped=\"{}\">\n{}</testsuite>\n",
      xml_text("srvprof check " + file), tests, failures, skipped, cases);
}

}  // namespace srvprof
