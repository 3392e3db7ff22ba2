#include "base/endpoint.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>

namespace srvprof {
namespace {

using V6 = std::array<std::uint8_t, 16>;

IpAddress v4(std::uint8_t a, std::uint8_t b, std::uint8_t c, std::uint8_t d) {
  const std::uint8_t bytes[4] = {a, b, c, d};
  return ipv4_address(bytes);
}
IpAddress v6(const V6& bytes) { return ipv6_address(bytes.data()); }

constexpr V6 kOne = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
constexpr V6 kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1};

TEST(Endpoint, AMappedAddressIsIpv4) {
  EXPECT_EQ(v6(kMapped), v4(127, 0, 0, 1));
  EXPECT_TRUE(v6(kOne).v6);
}

TEST(Endpoint, Text) {
  EXPECT_EQ(to_string(v4(10, 1, 2, 3)), "10.1.2.3");
  EXPECT_EQ(to_string(v6(kOne)), "::1");
  EXPECT_EQ(to_string(Endpoint{v4(127, 0, 0, 1), 80}), "127.0.0.1:80");
  EXPECT_EQ(to_string(Endpoint{v6(kOne), 65535}), "[::1]:65535");
}

TEST(Endpoint, Loopback) {
  EXPECT_TRUE(is_loopback(v4(127, 9, 9, 9)));
  EXPECT_FALSE(is_loopback(v4(128, 0, 0, 1)));
  EXPECT_TRUE(is_loopback(v6(kOne)));
  V6 other = kOne;
  other[0] = 0x20;
  EXPECT_FALSE(is_loopback(v6(other)));
}

TEST(Endpoint, Unspecified) {
  EXPECT_TRUE(is_unspecified(v4(0, 0, 0, 0)));
  EXPECT_TRUE(is_unspecified(v6({})));
  EXPECT_FALSE(is_unspecified(v6(kOne)));
  EXPECT_FALSE(is_unspecified(v4(0, 0, 0, 1)));
}

TEST(Endpoint, EqualOnesHashEqual) {
  const std::hash<Endpoint> h;
  EXPECT_EQ(h(Endpoint{v6(kMapped), 80}), h(Endpoint{v4(127, 0, 0, 1), 80}));
  EXPECT_NE(h(Endpoint{v4(127, 0, 0, 1), 80}), h(Endpoint{v4(127, 0, 0, 1), 81}));
}

}  // namespace
}  // namespace srvprof
