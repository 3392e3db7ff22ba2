#include "base/bytes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>

namespace srvprof {
namespace {

constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Bytes, ZigzagKeepsSmallMagnitudesSmall) {
  EXPECT_EQ(zigzag(0), 0u);
  EXPECT_EQ(zigzag(-1), 1u);
  EXPECT_EQ(zigzag(1), 2u);
  EXPECT_EQ(zigzag(kMax), 0xfffffffffffffffeu);
  EXPECT_EQ(zigzag(kMin), 0xffffffffffffffffu);
  for (const std::int64_t v : {kMin, kMin + 1, std::int64_t{-2}, std::int64_t{0}, kMax}) {
    EXPECT_EQ(unzigzag(zigzag(v)), v);
  }
}

TEST(Bytes, VarintsComeBackInTheirKnownLength) {
  for (unsigned bits = 0; bits <= 64; ++bits) {
    const std::uint64_t v = bits == 0 ? 0 : ~std::uint64_t{0} >> (64 - bits);
    Bytes out;
    put_varint(out, v);
    EXPECT_EQ(out.size(), bits == 0 ? 1u : (bits + 6) / 7);
    ByteReader in(out);
    EXPECT_EQ(in.varint(), v);
    EXPECT_TRUE(in.ok());
    EXPECT_EQ(in.left(), 0u);
  }
}

TEST(Bytes, CutOrOverlongVarintsAreRefused) {
  Bytes whole;
  put_varint(whole, ~std::uint64_t{0});
  for (std::size_t n = 0; n < whole.size(); ++n) {
    ByteReader in{std::span<const std::uint8_t>(whole).first(n)};
    EXPECT_EQ(in.varint(), 0u);
    EXPECT_FALSE(in.ok());
  }
  Bytes overlong(9, 0xff);
  overlong.push_back(0x02);  // bit 64
  ByteReader in(overlong);
  in.varint();
  EXPECT_FALSE(in.ok());
  const Bytes endless(11, 0x80);
  ByteReader eleven(endless);
  eleven.varint();
  EXPECT_FALSE(eleven.ok());
}

TEST(Bytes, LittleEndian) {
  Bytes out;
  put_le(out, std::uint16_t{0x1234});
  put_le(out, std::uint64_t{0x0123456789abcdef});
  EXPECT_EQ(out[0], 0x34);
  EXPECT_EQ(out[2], 0xef);
  ByteReader in(out);
  EXPECT_EQ(in.le<std::uint16_t>(), 0x1234);
  EXPECT_EQ(in.le<std::uint32_t>(), 0x89abcdefu);
  EXPECT_EQ(in.position(), 6u);
  EXPECT_EQ(in.le<std::uint64_t>(), 0u) << "only four bytes are left";
  EXPECT_FALSE(in.ok());
}

TEST(Bytes, AfterTheFirstFailureNothingIsRead) {
  const Bytes bytes = {1, 2, 3};
  ByteReader in(bytes);
  EXPECT_EQ(in.bytes(std::numeric_limits<std::uint64_t>::max()).size(), 0u);
  EXPECT_FALSE(in.ok());
  EXPECT_EQ(in.u8(), 0);
  EXPECT_EQ(in.text(1), "");
  EXPECT_EQ(in.left(), 0u);
}

TEST(Bytes, TextAndSpansArePartsOfTheInput) {
  Bytes out;
  put_bytes(out, "hello");
  ByteReader in(out);
  EXPECT_EQ(in.text(2), "he");
  EXPECT_EQ(in.bytes(3).data(), out.data() + 2);
  EXPECT_TRUE(in.ok());
  EXPECT_EQ(in.text(0), "");
  EXPECT_TRUE(in.ok());
}

}  // namespace
}  // namespace srvprof
