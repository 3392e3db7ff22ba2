#include "analyze/load_stages.h"

#include <gtest/gtest.h>

#include "analyze/phases.h"
#include "scenario.h"

namespace srvprof {
namespace {

std::vector<std::string> names(const std::vector<LoadPhase>& phases) {
  std::vector<std::string> out;
  for (const LoadPhase& p : phases) out.push_back(p.name);
  return out;
}

TEST(LoadStages, AFileNamesThePhases) {
  Scenario s(20s);
  s.trace.clocks.push_back({s.trace.t_begin, 1'700'000'000'000'000'000});
  s.ordinary(s.route("GET /"), 2000, 0s, 20s);
  const auto marks = parse_phases(s.trace,
                                  "# by hand\n0 warm-up\n\n2500ms steady  # until the end\n"
                                  "@1700000015.5 tail\n",
                                  "phases.txt");
  ASSERT_TRUE(marks.ok()) << marks.error().what;
  s.trace.phase_marks = *marks;
  s.trace.phase_marks.push_back({s.at(1s), "by-user", "mark"});  // the file goes before marks
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases), (std::vector<std::string>{"warm-up", "steady", "tail"}));
  EXPECT_EQ(phases[1].begin, s.at(2500ms));
  EXPECT_EQ(phases[2].begin, s.at(15500ms));
  EXPECT_EQ(phases[0].why, "by --phases");
}

TEST(LoadStages, StagesAreLaidFromTheLoadsStart) {
  Scenario s(20s);
  s.ordinary(s.route("GET /"), 2000, 1s, 20s);
  const auto marks =
      parse_phases(s.trace, "stage 4s 20\nstage 1m30s 20\nstage 2 0\n", "phases.txt");
  ASSERT_TRUE(marks.ok());
  ASSERT_EQ(marks->size(), 4u);
  EXPECT_EQ((*marks)[0].name, "ramp-20");
  EXPECT_EQ((*marks)[0].t, s.at(1s));
  EXPECT_EQ((*marks)[1].name, "steady-20");
  EXPECT_EQ((*marks)[1].t, s.at(5s));
  EXPECT_EQ((*marks)[2].name, "drain-0");
  EXPECT_EQ((*marks)[2].t, s.at(95s));
  EXPECT_EQ((*marks)[3].name, "after");
}

TEST(LoadStages, OfACommandThatSrvprofStarted) {
  Scenario s(20s);
  s.ordinary(s.route("GET /"), 2000, 1s, 20s);
  rows::Load load;
  load.t_start = s.at(500ms);
  load.t_end = s.at(19s);
  load.argv = "/usr/bin/k6 run -s 5s:10,10s:10 --stage=3s:0 script.js";
  s.trace.loads.push_back(load);
  const auto phases = load_phases(s.trace);
  EXPECT_EQ(names(phases),
            (std::vector<std::string>{"unmarked", "ramp-10", "steady-10", "drain-0", "after"}));
  EXPECT_EQ(phases[1].begin, s.at(500ms));
  s.trace.loads[0].argv = "/usr/bin/k6 run script.js";
  EXPECT_EQ(names(load_phases(s.trace)), (std::vector<std::string>{"idle", "steady"}));
}

TEST(LoadStages, WhatIsNoPhasesFileIsRefused) {
  const Scenario s(20s);
  for (const char* text : {"", "# nothing\n", "steady 5\n", "5s\n", "stage 5s\n", "@x steady\n",
                           "1e9 steady\n", "5 parsecs\n5x y\n", "@1700000000 no-clock\n"}) {
    EXPECT_FALSE(parse_phases(s.trace, text, "phases.txt").ok()) << text;
  }
  std::string many;
  for (int i = 0; i < 2000; ++i) many += "1 a\n";
  EXPECT_FALSE(parse_phases(s.trace, many, "phases.txt").ok());
}

}  // namespace
}  // namespace srvprof
