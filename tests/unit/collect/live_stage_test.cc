#include "collect/live_stage.h"

#include <gtest/gtest.h>

#include <chrono>
#include <initializer_list>
#include <string>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

const Time kBegin{1h};

struct Line {
  LiveStage stage{kBegin};
  Time now = kBegin;

  void seconds(std::initializer_list<double> rates) {
    for (const double rate : rates) stage.add(now += 1s, rate);
  }
  // "steady 3": since the third second.
  std::string said() const {
    return stage.name() + ' ' + std::to_string((stage.since() - kBegin) / 1s);
  }
};

TEST(LiveStage, IsIdleUntilRequestsCome) {
  Line line;
  EXPECT_EQ(line.said(), "idle 0");
  line.seconds({0, 0});
  EXPECT_EQ(line.said(), "idle 0");
  line.seconds({40});
  EXPECT_EQ(line.said(), "changing 2");
}

TEST(LiveStage, ALevelIsSteadyAfterThreeSeconds) {
  Line line;
  line.seconds({0, 30, 100, 104, 98});  // the first second of a load is not a whole one
  EXPECT_EQ(line.said(), "steady 2");
  line.seconds({101, 160, 99, 100});  // one second alone is no other level
  EXPECT_EQ(line.said(), "steady 2");
}

TEST(LiveStage, AnotherLevelBeginsWithItsFirstSecond) {
  Line line;
  line.seconds({100, 100, 100, 100, 300, 300});
  EXPECT_EQ(line.said(), "changing 4");
  line.seconds({305});
  EXPECT_EQ(line.said(), "steady 4");
  line.seconds({0});
  EXPECT_EQ(line.said(), "idle 7");
  line.seconds({0, 0});
  EXPECT_EQ(line.said(), "idle 7");
}

TEST(LiveStage, ARateThatRisesSecondBySecondIsARamp) {
  Line line;
  line.seconds({100, 100, 100, 120, 140, 160, 180});
  EXPECT_EQ(line.said(), "ramp 2");
  line.seconds({182, 181, 183});
  EXPECT_EQ(line.said(), "steady 7");
  line.seconds({150, 120, 90});
  EXPECT_EQ(line.said(), "ramp 9");
}

TEST(LiveStage, TheUsersNameStays) {
  Line line;
  line.seconds({100, 100, 100});
  line.stage.mark(line.now, "after-deploy");
  line.seconds({300, 300, 300});
  EXPECT_EQ(line.said(), "after-deploy 3");
}

}  // namespace
}  // namespace srvprof
