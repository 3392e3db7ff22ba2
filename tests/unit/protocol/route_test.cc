#include "protocol/route.h"

#include <gtest/gtest.h>

#include <string>

namespace srvprof {
namespace {

TEST(FoldPath, KeepsWords) {
  for (const char* path : {"/", "/health", "/api/v1/users", "/oauth2/token", "/api/v1beta1/x",
                           "/static/main.js", "//", "/a/", "*", "/1.0/info", "/v2.1.3/x",
                           "/how-to-sort-things", "/deadbeef", "/a%20b/%E4%BD%A0", "/x_y-z"}) {
    EXPECT_EQ(fold_path(path), path);
  }
}

TEST(FoldPath, FoldsIds) {
  EXPECT_EQ(fold_path("/items/42"), "/items/:id");
  EXPECT_EQ(fold_path("/items/42/parts/7/"), "/items/:id/parts/:id/");
  EXPECT_EQ(fold_path("/u/123e4567-e89b-12d3-a456-426614174000"), "/u/:id");
  EXPECT_EQ(fold_path("/b/deadbeefdeadbeef"), "/b/:id");
  EXPECT_EQ(fold_path("/b/0123456789ABCDEF00/x"), "/b/:id/x");
  EXPECT_EQ(fold_path("/i/a1b2c3d4"), "/i/:id");
  EXPECT_EQ(fold_path("/i/a1b2c3d"), "/i/a1b2c3d");
  EXPECT_EQ(fold_path("/t/Zm9vYmFy_MTIz-NDU2Nzg5"), "/t/:id");
  EXPECT_EQ(fold_path("/d/2024-01-02"), "/d/:id");
  EXPECT_EQ(fold_path("/p/product-12345"), "/p/product-:id");
  EXPECT_EQ(fold_path("/img/42.png"), "/img/:id.png");
  EXPECT_EQ(fold_path("/ip/10.0.0.1"), "/ip/:id");
  EXPECT_EQ(fold_path("/v/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJlMTIz"), "/v/:id");
  EXPECT_EQ(fold_path("/mail/ann@example.org"), "/mail/:id");
}

TEST(FoldPath, DropsPathParameters) {
  EXPECT_EQ(fold_path("/cart;jsessionid=SECRET/x"), "/cart/x");
}

TEST(FoldPath, CutPathLosesItsLastSegment) {
  EXPECT_EQ(fold_path("/a/42/trunca", true), "/a/:id/...");
}

TEST(RouteTable, NumbersDistinctRoutes) {
  RouteTable routes;
  const auto items = routes.intern("GET", "/items/1");
  EXPECT_EQ(routes.intern("GET", "/items/2"), items);
  EXPECT_NE(routes.intern("PUT", "/items/2"), items);
  EXPECT_EQ(routes.names()[items], "GET /items/:id");
}

TEST(RouteTable, IsBounded) {
  RouteTable routes(10);
  for (int i = 0; i < 1000; ++i) {
    std::string word = "/w";
    for (int n = i; n > 0; n /= 20) word += static_cast<char>('a' + n % 20);
    routes.intern("GET", word);
  }
  EXPECT_EQ(routes.names().size(), 11U);
  EXPECT_EQ(routes.names().back(), "GET (other)");
  EXPECT_EQ(routes.folded_into_other(), 990U);
  // What was known before the limit stays known.
  EXPECT_EQ(routes.names()[routes.intern("GET", "/wb")], "GET /wb");
}

TEST(RouteTable, MethodsAreBoundedToo) {
  RouteTable routes;
  for (int i = 0; i < 100; ++i) routes.intern("M" + std::to_string(i), "/a");
  EXPECT_EQ(routes.names().size(), 33U);
  EXPECT_EQ(routes.names().back(), "(other)");
}

}  // namespace
}  // namespace srvprof
