#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <string_view>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "http1.h"
#pragma GCC diagnostic pop

namespace {

int recognise(std::string_view text) {
  __sp_u8 b[4] = {};
  std::memcpy(b, text.data(), std::min<std::size_t>(text.size(), 4));
  return sp_recognise(b, static_cast<__sp_u32>(text.size()));
}

unsigned status(std::string_view text) {
  __sp_u8 b[16] = {};
  std::memcpy(b, text.data(), std::min<std::size_t>(text.size(), 16));
  return sp_status(b);
}

unsigned line_bytes(std::string_view text) {
  __sp_u64 w[SP_HEAD_MAX / 8] = {};
  std::memcpy(w, text.data(), std::min<std::size_t>(text.size(), sizeof w));
  return sp_line_bytes(w, SP_HEAD_MAX / 8);
}

TEST(Recognise, MethodsOfHttp1) {
  for (const char* method :
       {"GET /", "POST /", "PUT /x", "HEAD /", "DELETE /", "PATCH /", "OPTIONS *", "CONNECT h", "TRACE /"}) {
    EXPECT_EQ(recognise(method), SP_PROTO_HTTP1) << method;
  }
}

TEST(Recognise, OtherProtocols) {
  EXPECT_EQ(recognise("PRI * HTTP/2.0"), SP_PROTO_HTTP2);
  EXPECT_EQ(recognise(std::string_view("\x16\x03\x01\x02", 4)), SP_PROTO_TLS);
  EXPECT_EQ(recognise("\x16"), SP_PROTO_TLS);
  EXPECT_EQ(recognise("*1\r\n$4"), SP_PROTO_OTHER);
  EXPECT_EQ(recognise("get / "), SP_PROTO_OTHER);
  EXPECT_EQ(recognise(std::string_view("\0\0\0\0", 4)), SP_PROTO_OTHER);
}

TEST(Recognise, OneByteMayBeginAMethod) {
  EXPECT_EQ(recognise("G"), SP_PROTO_UNKNOWN);
  EXPECT_EQ(recognise("*"), SP_PROTO_OTHER);
  EXPECT_EQ(recognise(""), SP_PROTO_UNKNOWN);
}

TEST(Status, OnlyOfAStatusLine) {
  EXPECT_EQ(status("HTTP/1.1 200 OK"), 200u);
  EXPECT_EQ(status("HTTP/1.0 404 Not"), 404u);
  EXPECT_EQ(status("HTTP/1.1 100 Con"), 100u);
  EXPECT_EQ(status("HTTP/2.0 200 OK"), 0u);
  EXPECT_EQ(status("HTTP/1.1 2x0 OK"), 0u);
  EXPECT_EQ(status("HTTP/1.1 000 OK"), 0u);
  EXPECT_EQ(status("{\"a\":1}"), 0u);
  EXPECT_EQ(status(""), 0u);
}

TEST(LineBytes, EndsAtTheWordOfTheFirstLineEnd) {
  EXPECT_EQ(line_bytes(""), 8u);
  EXPECT_EQ(line_bytes("GET / HTTP/1.1\r\nHost: x\r\n\r\n"), 16u);
  EXPECT_EQ(line_bytes("GET /items?page=3 HTTP/1.1\r\nHost"), 32u);
  EXPECT_EQ(line_bytes("GET / HTTP/1.0\n"), 16u);
  EXPECT_EQ(line_bytes(std::string(200, 'a')), static_cast<unsigned>(SP_HEAD_MAX));
}

// The trick with carries must not see a line end where there is none, nor miss one: every byte value
// at every place.
TEST(LineBytes, AgreesWithASearch) {
  for (unsigned value = 0; value < 256; ++value) {
    for (std::size_t at = 0; at < SP_HEAD_MAX; ++at) {
      std::string text(SP_HEAD_MAX, 'b');
      text[at] = static_cast<char>(value);
      const bool ends = value == 0 || value == '\r' || value == '\n';
      const std::size_t expected = ends ? (at / 8 + 1) * 8 : static_cast<std::size_t>(SP_HEAD_MAX);
      EXPECT_EQ(line_bytes(text), expected) << value << " at " << at;
    }
  }
}

}  // namespace
