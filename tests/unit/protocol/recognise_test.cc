#include <gtest/gtest.h>

#include <set>
#include <string>

#include "protocol/protocol.h"

namespace srvprof {
namespace {

using namespace std::string_view_literals;

std::string_view id_of(std::string_view first) {
  const Protocol* protocol = recognise_protocol(first);
  return protocol ? protocol->id : "none";
}

TEST(Protocols, AreComplete) {
  std::set<std::string_view> ids;
  for (const Protocol& protocol : protocols()) {
    EXPECT_FALSE(protocol.title.empty());
    ASSERT_NE(protocol.recognise, nullptr);
    EXPECT_TRUE(ids.insert(protocol.id).second) << protocol.id;
    EXPECT_FALSE(protocol.recognise(""));
  }
  EXPECT_EQ(ids.size(), 5U);
}

TEST(Protocols, ByFirstBytes) {
  EXPECT_EQ(id_of("GET / HTTP/1.1\r\n"), "http1");
  EXPECT_EQ(id_of("PROPFIND /dav HTTP/1.1"), "http1");
  EXPECT_EQ(id_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "http2");
  EXPECT_EQ(id_of("PRI * HTTP/2"), "http2");
  EXPECT_EQ(id_of("POST"), "http1");
  EXPECT_EQ(id_of("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"sv), "tls");
  EXPECT_EQ(id_of("\x16\x03\x01\x02\x00\x02"sv), "none");
  EXPECT_EQ(id_of("\x00\x00\x00\x08\x04\xd2\x16\x2f"sv), "pgsql");
  EXPECT_EQ(id_of("\x00\x00\x00\x29\x00\x03\x00\x00user\x00"sv), "pgsql");
  EXPECT_EQ(id_of("Q\x00\x00\x00\x0dSELECT 1\x00"sv), "pgsql");
  EXPECT_EQ(id_of("*1\r\n$4\r\nPING\r\n"), "resp");
  EXPECT_EQ(id_of("*abc"), "none");
  EXPECT_EQ(id_of(""), "none");
  EXPECT_EQ(id_of("\xff\xfe\x00\x01"sv), "none");
}

TEST(Protocols, ByPort) {
  EXPECT_EQ(service_of_port(5432), "PostgreSQL");
  EXPECT_EQ(service_of_port(6379), "Redis");
  EXPECT_EQ(service_of_port(3306), "MySQL");
  EXPECT_EQ(service_of_port(0), "");
  EXPECT_EQ(service_of_port(21001), "");
  EXPECT_EQ(downstream_name(21379, "*1\r\n$4\r\nPING\r\n"), "Redis");
  EXPECT_EQ(downstream_name(6379), "Redis");
}

}  // namespace
}  // namespace srvprof
