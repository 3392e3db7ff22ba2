#include "target/net_table.h"

#include <gtest/gtest.h>

namespace srvprof {
namespace {

constexpr const char* kTcp =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout "
    "inode\n"
    "   0: 0100007F:0BB8 00000000:0000 0A 00000000:00000003 00:00000000 00000000  1000        0 "
    "241 1 "
    "0000000000000000 100 0 0 10 0\n"
    "   1: 0100007F:0BB8 0100007F:D431 01 00000010:00000020 01:00000014 00000000     0        0 "
    "777 2 "
    "0000000000000000 20 4 30 10 -1\n"
    "   2: 0100007F:0BB8 0100007F:D432 06 00000000:00000000 03:00001770 00000000     0        0 0 "
    "3\n";

constexpr const char* kTcp6 =
    "  sl  local_address remote_address st tx_queue rx_queue tr tm->when retrnsmt uid timeout "
    "inode\n"
    "   0: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A "
    "00000000:00000000 00:00000000 00000000     0        0 300 1 0 100 0 0 10 0\n"
    "   1: 0000000000000000FFFF00000100007F:1F90 0000000000000000FFFF00000100007F:C001 01 "
    "00000000:00000000 00:00000000 00000000     0        0 301 1 0 100 0 0 10 0\n"
    "   2: B80D01200000000000000000010000FE:1F90 00000000000000000000000001000000:C002 01 "
    "00000000:00000000 00:00000000 00000000     0        0 302 1 0 100 0 0 10 0\n";

TEST(InetTable, V4) {
  const auto sockets = parse_inet_table(kTcp);
  ASSERT_EQ(sockets.size(), 3u);
  EXPECT_EQ(to_string(sockets[0].local), "127.0.0.1:3000");
  EXPECT_EQ(to_string(sockets[0].remote), "0.0.0.0:0");
  EXPECT_EQ(sockets[0].state, kTcpListen);
  EXPECT_EQ(sockets[0].rx_queue, 3u);
  EXPECT_EQ(sockets[0].inode, 241u);
  EXPECT_EQ(to_string(sockets[1].remote), "127.0.0.1:54321");
  EXPECT_EQ(sockets[1].tx_queue, 16u);
  EXPECT_EQ(sockets[1].rx_queue, 32u);
  EXPECT_EQ(sockets[2].inode, 0u);
}

TEST(InetTable, V6AndMapped) {
  const auto sockets = parse_inet_table(kTcp6);
  ASSERT_EQ(sockets.size(), 3u);
  EXPECT_EQ(to_string(sockets[0].local), "[::]:8080");
  EXPECT_EQ(to_string(sockets[1].local), "127.0.0.1:8080");
  EXPECT_EQ(to_string(sockets[2].local), "[2001:db8::fe00:1]:8080");
  EXPECT_EQ(to_string(sockets[2].remote), "[::1]:49154");
  EXPECT_TRUE(is_loopback(sockets[2].remote.address));
}

TEST(InetTable, HostileText) {
  EXPECT_TRUE(parse_inet_table("").empty());
  EXPECT_TRUE(parse_inet_table("0: 0100007F 00000000:0000 0A 0:0 0:0 0 0 0 1").empty());
  EXPECT_TRUE(parse_inet_table("0: 0100007G:0001 00000000:0000 0A 0:0 0:0 0 0 0 1").empty());
  EXPECT_TRUE(parse_inet_table("0: 0100007F:10000 00000000:0000 0A 0:0 0:0 0 0 0 1").empty());
  EXPECT_EQ(parse_inet_table("0: 0100007F:0001 00000000:0000 0A 0:0 0:0 0 0 0 1").size(), 1u);
  const std::string_view whole = kTcp6;
  for (std::size_t n = 0; n <= whole.size(); ++n) {
    EXPECT_LE(parse_inet_table(whole.substr(0, n)).size(), 3u);
  }
}

TEST(UnixTable, ReadsPathsWithBlanks) {
  const auto sockets = parse_unix_table(
      "Num       RefCount Protocol Flags    Type St Inode Path\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 2017 /run/a b.sock\n"
      "0000000000000000: 00000002 00000000 00010000 0001 01 2018 @abstract\n"
      "0000000000000000: 00000003 00000000 00000000 0001 03 2019\n"
      "0000000000000000: 00000003 00000000 0000\n");
  ASSERT_EQ(sockets.size(), 3u);
  EXPECT_TRUE(sockets[0].listening);
  EXPECT_EQ(sockets[0].path, "/run/a b.sock");
  EXPECT_EQ(sockets[0].inode, 2017u);
  EXPECT_EQ(sockets[1].path, "@abstract");
  EXPECT_FALSE(sockets[2].listening);
  EXPECT_EQ(sockets[2].path, "");
}

TEST(NetCounter, FindsByName) {
  const char* text =
      "TcpExt: SyncookiesSent ListenOverflows ListenDrops\nTcpExt: 1 20 30\n"
      "IpExt: InNoRoutes ListenDrops\nIpExt: 5 6\n";
  EXPECT_EQ(find_net_counter(text, "TcpExt", "ListenDrops").value, 30u);
  EXPECT_EQ(find_net_counter(text, "TcpExt", "ListenOverflows").value, 20u);
  EXPECT_EQ(find_net_counter(text, "IpExt", "ListenDrops").value, 6u);
  EXPECT_FALSE(find_net_counter(text, "TcpExt", "InNoRoutes").found);
  EXPECT_FALSE(find_net_counter(text, "Tcp", "ListenDrops").found);
  EXPECT_FALSE(find_net_counter("TcpExt: A B\nTcpExt: 1\n", "TcpExt", "B").found);
  EXPECT_FALSE(find_net_counter("TcpExt: A B\n", "TcpExt", "A").found);
  EXPECT_FALSE(find_net_counter("TcpExt: A\nTcpExt: x\n", "TcpExt", "A").found);
}

}  // namespace
}  // namespace srvprof
