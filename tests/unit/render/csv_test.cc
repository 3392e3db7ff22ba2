#include <gtest/gtest.h>

#include "base/parse.h"
#include "render/all.h"
#include "sample.h"

namespace srvprof {
namespace {

using sample::at;

Trace small_trace() {
  Trace trace;
  trace.t_begin = at(0);
  trace.t_end = at(30000);
  trace.strings = {"", "/health" + sample::kHostile, "=cmd"};
  trace.routes = {"", "GET /health"};
  trace.conns.resize(1);
  Request request;
  request.conn = ConnId{1};
  request.route = RouteId{1};
  request.path = StringId{1};
  request.t_arrive = request.t_accepted = at(7000);
  request.t_read = request.t_read_last = at(7002);
  request.t_write = at(7010);
  request.t_done = at(7011);
  request.status = 200;
  request.censored = request.aborted = true;
  trace.requests.push_back(request);
  request.path = StringId{2};
  trace.requests.push_back(request);
  Thread thread;
  thread.tid = 7;
  thread.comm = "a,b\"c";
  thread.t_known = at(0);
  trace.threads.push_back(thread);
  return trace;
}

// The fields of an RFC 4180 line.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"') {
        out.back() += line[++i];
      } else {
        quoted = !quoted;
      }
    } else if (line[i] == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += line[i];
    }
  }
  return out;
}

std::vector<std::vector<std::string>> rows_of(std::string_view format) {
  const Trace trace = small_trace();
  const Report report = sample::report();
  const std::string text = render_to_string(*find_format(format), Document{&trace, &report, {}});
  std::vector<std::vector<std::string>> rows;
  std::string_view rest = text, line;
  while (next_line(rest, line)) rows.push_back(fields_of(line));
  return rows;
}

std::string cell(const std::vector<std::vector<std::string>>& rows, std::size_t row,
                 const std::string& column) {
  const auto found = std::find(rows[0].begin(), rows[0].end(), column);
  EXPECT_NE(found, rows[0].end()) << column;
  return rows[row][static_cast<std::size_t>(found - rows[0].begin())];
}

TEST(Csv, HasARowARequestOfEqualWidth) {
  const auto rows = rows_of("csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].size(), 49u);
  for (const auto& row : rows) EXPECT_EQ(row.size(), rows[0].size());
  EXPECT_EQ(cell(rows, 1, "id"), "1");
  EXPECT_EQ(cell(rows, 1, "method"), "GET");
  EXPECT_EQ(cell(rows, 1, "status"), "200");
  EXPECT_EQ(cell(rows, 1, "flags"), "censored|aborted");
  EXPECT_EQ(cell(rows, 1, "phase_name"), "steady");
  EXPECT_EQ(cell(rows, 1, "latency_ns"), "11000000");
  EXPECT_EQ(cell(rows, 1, "t_first_write_ns"), std::to_string(to_ns(at(7010))));
}

TEST(Csv, StatesAndPhasesSumToTheLatency) {
  const auto rows = rows_of("csv");
  const auto sum = [&](std::size_t first, std::size_t last) {
    std::int64_t total = 0;
    for (std::size_t i = first; i <= last; ++i) total += std::stoll(rows[1][i]);
    return total;
  };
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) -
                                    rows[0].begin());
  };
  EXPECT_EQ(sum(column("stopped_ns"), column("unexplained_ns")), 11'000'000);
  EXPECT_EQ(sum(column("accept_ns"), column("write_ns")), 11'000'000);
}

TEST(Csv, HostilePathsAreOneFieldAndNoFormula) {
  const auto rows = rows_of("csv");
  EXPECT_EQ(cell(rows, 1, "path").substr(0, 11), "/health\\x1b");
  EXPECT_EQ(cell(rows, 2, "path"), "'=cmd");
}

TEST(ThreadsCsv, TotalsOfEachThread) {
  const auto rows = rows_of("threads-csv");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"tid", "comm", "cpu_ns", "runq_ns", "throttled_ns"}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{"7", "a,b\"c", "30000000000", "0", "0"}));
}

}  // namespace
}  // namespace srvprof
