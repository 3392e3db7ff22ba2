#include "protocol/http1.h"

#include <gtest/gtest.h>

#include <random>

namespace srvprof {
namespace {

constexpr std::size_t kLimit = 96;

RequestLine parse(std::string_view head, bool keep_query = false) {
  const auto line = parse_request_line(head, kLimit, keep_query);
  return line ? *line : RequestLine{.method = "(none)", .path = "", .path_cut = false};
}

TEST(RequestLine, OriginForm) {
  const RequestLine line = parse("GET /health HTTP/1.1\r\nHost: a\r\n");
  EXPECT_EQ(line.method, "GET");
  EXPECT_EQ(line.path, "/health");
  EXPECT_FALSE(line.path_cut);
}

TEST(RequestLine, QueryIsCutUnlessAsked) {
  EXPECT_EQ(parse("GET /a?token=secret HTTP/1.1").path, "/a");
  EXPECT_EQ(parse("GET /a?token=secret#x HTTP/1.1", true).path, "/a?token=secret");
  EXPECT_EQ(parse("GET /?q HTTP/1.1").path, "/");
  EXPECT_EQ(parse("GET /a#frag HTTP/1.1").path, "/a");
}

TEST(RequestLine, AbsoluteFormLosesItsAuthority) {
  EXPECT_EQ(parse("GET http://user:pw@host:80/a/b?x HTTP/1.1").path, "/a/b");
  EXPECT_EQ(parse("GET http://host HTTP/1.1").path, "/");
  EXPECT_EQ(parse("GET http://host?x=/secret HTTP/1.1").path, "/");
}

TEST(RequestLine, OtherTargets) {
  EXPECT_EQ(parse("OPTIONS * HTTP/1.1").path, "*");
  EXPECT_EQ(parse("CONNECT host:443 HTTP/1.1").path, "host:443");
  EXPECT_EQ(parse("\r\nGET /a HTTP/1.0").path, "/a");
  EXPECT_EQ(parse("GET /a").path, "/a");
}

TEST(RequestLine, SaysWhenThePathWasCut) {
  const std::string path = "/" + std::string(200, 'a');
  const RequestLine cut = parse(("GET " + path + " HTTP/1.1").substr(0, kLimit));
  EXPECT_TRUE(cut.path_cut);
  EXPECT_EQ(cut.path, path.substr(0, kLimit - 4));
  // The query may be cut: the path is whole.
  EXPECT_FALSE(parse(("GET /a?" + path).substr(0, kLimit)).path_cut);
  // Zeros at the end are padding, not a path.
  std::string padded = "GET /a HTT";
  padded.resize(kLimit, '\0');
  EXPECT_FALSE(parse(padded).path_cut);
}

TEST(RequestLine, HostileBytesAreNoRequest) {
  EXPECT_FALSE(parse_request_line("", kLimit));
  EXPECT_FALSE(parse_request_line("GET", kLimit));
  EXPECT_FALSE(parse_request_line("GET ", kLimit));
  EXPECT_FALSE(parse_request_line(" / HTTP/1.1", kLimit));
  EXPECT_FALSE(parse_request_line("G\x01T / HTTP/1.1", kLimit));
  EXPECT_FALSE(parse_request_line("\x16\x03\x01 /", kLimit));
  EXPECT_FALSE(parse_request_line(std::string(60, 'A') + " / HTTP/1.1", kLimit));
  EXPECT_EQ(parse("GET /\x1b[31m\xff HTTP/1.1").path, "/\x1b[31m\xff");
}

TEST(RequestLine, NeverLongerThanItsInput) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    std::string head(random() % 100, '\0');
    for (char& c : head)
      c = "GETPOST /?#:.%\r\n \0\xff"
          "aZ9"[random() % 23];
    const auto line = parse_request_line(head, kLimit);
    if (!line) continue;
    EXPECT_LE(line->method.size() + line->path.size(), head.size() + 1);
    EXPECT_FALSE(line->method.empty());
    EXPECT_FALSE(line->path.empty());
    EXPECT_EQ(line->path.find_first_of("?#\r\n "), std::string::npos);
  }
}

TEST(StatusClass, Names) {
  EXPECT_EQ(status_class(0), "none");
  EXPECT_EQ(status_class(100), "1xx");
  EXPECT_EQ(status_class(204), "2xx");
  EXPECT_EQ(status_class(599), "5xx");
  EXPECT_EQ(status_class(99), "other");
  EXPECT_EQ(status_class(600), "other");
}

}  // namespace
}  // namespace srvprof
