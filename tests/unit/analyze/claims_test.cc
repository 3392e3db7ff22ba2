// Which requests are looked at.
#include "analyze/claims.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "scenario.h"

namespace srvprof {
namespace {

std::vector<RequestId> ids(std::uint32_t n) {
  std::vector<RequestId> out;
  for (std::uint32_t i = 1; i <= n; ++i) out.push_back(RequestId{i});
  return out;
}

TileSource source_of(std::size_t tiles) {
  return [tiles](const Trace&, RequestId, std::vector<Tile>& out) { out.assign(tiles, Tile{}); };
}

TEST(Spread, TakesAllOfFew) {
  const auto all = ids(100);
  EXPECT_EQ(spread({}, source_of(100'000), all, 5'000), all);
}

TEST(Spread, IsEvenAndNoMoreThanWanted) {
  const auto some = spread({}, source_of(10), ids(30'000), 10'000);
  ASSERT_EQ(some.size(), 10'000u);
  EXPECT_EQ(some[0].value, 1u);
  EXPECT_EQ(some[5'000].value, 15'001u);
}

TEST(Spread, TakesFewerOfLongLedgersButEnough) {
  EXPECT_EQ(spread({}, source_of(1'000), ids(30'000), 10'000).size(), 1'000u);
  EXPECT_EQ(spread({}, source_of(1'000'000), ids(30'000), 10'000).size(), 200u);
}

TEST(Spread, StandsForAll) {
  Scenario s;
  s.mixed(s.route("GET /"), 4'000, 40, {{State::kRunqWake, 6ms}});
  std::size_t looked = 0;
  const Facts facts;
  const CauseContext ctx{s.trace, facts, s.at(0s), s.at(10s), RouteId{}, false, 0};
  const TileSource counting = [&](const Trace& t, RequestId id, std::vector<Tile>& out) {
    ++looked;
    s.source()(t, id, out);
  };
  const ClaimSet set = claim(ctx, counting, ids(4'000), 400, false);
  EXPECT_EQ(set.represented, 4'000u);
  EXPECT_EQ(set.requests.size(), 400u);
  EXPECT_LT(looked, 500u);
}

}  // namespace
}  // namespace srvprof
