#include "collect/governor.h"

#include <gtest/gtest.h>

#include <chrono>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

Time at(Duration d) { return Time{} + 1000s + d; }

TEST(Governor, StaysOffWhileTheRingIsDrained) {
  Governor g;
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(g.update(at(i * 5ms), 0.4, 0).has_value());
  EXPECT_EQ(g.one_in(), 1u);
}

TEST(Governor, EngagesBeforeTheRingIsFull) {
  Governor g;
  const auto n = g.update(at(0ms), 0.6, 0);
  ASSERT_TRUE(n.has_value());
  EXPECT_EQ(*n, 2u);
}

TEST(Governor, GivesAChangeTimeToShow) {
  Governor g;
  ASSERT_TRUE(g.update(at(0ms), 0.9, 0).has_value());
  EXPECT_FALSE(g.update(at(5ms), 0.9, 0).has_value());
  EXPECT_TRUE(g.update(at(105ms), 0.9, 0).has_value());
  EXPECT_EQ(g.one_in(), 4u);
}

TEST(Governor, EngagesOnLossAndHasALimit) {
  Governor g;
  std::uint64_t lost = 0;
  for (int i = 0; i < 100; ++i) g.update(at(i * 200ms), 0.0, ++lost);
  EXPECT_EQ(g.one_in(), Governor::kMaxOneIn);
}

TEST(Governor, GoesBackAfterACalmWhile) {
  Governor g;
  ASSERT_TRUE(g.update(at(0s), 0.9, 0).has_value());
  EXPECT_FALSE(g.update(at(3s), 0.01, 0).has_value());
  const auto back = g.update(at(6s), 0.01, 0);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(*back, 1u);
}

}  // namespace
}  // namespace srvprof
