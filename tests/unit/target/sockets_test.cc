#include "target/sockets.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "fake_tree.h"

namespace srvprof {
namespace {

Endpoint local(std::uint16_t port) {
  const std::array<std::uint8_t, 4> bytes{127, 0, 0, 1};
  return {ipv4_address(bytes.data()), port};
}

Endpoint bridge(std::uint8_t host, std::uint16_t port) {
  const std::array<std::uint8_t, 4> bytes{172, 17, 0, host};
  return {ipv4_address(bytes.data()), port};
}

std::string row(const std::string& from, const std::string& to, int state, std::uint64_t inode) {
  return fmt::format("   0: {} {} {:02X} 0:5 00:0 0 0 0 {} 1\n", from, to, state, inode);
}

TEST(Sockets, ListenersAndConnectionsOfOneProcess) {
  FakeTree tree;
  tree.add({.pid = 10, .socket_inodes = {500, 501, 502, 503, 504}});
  tree.write("proc/10/net/tcp", row("0100007F:0BB8", "00000000:0000", 10, 500) +
                                    row("0100007F:0BB9", "00000000:0000", 10, 900) +
                                    row("0100007F:0BB8", "0100007F:C000", 1, 501));
  tree.write("proc/10/net/tcp6", row("00000000000000000000000000000000:0BB8",
                                     "00000000000000000000000000000000:0000", 10, 502));
  tree.write("proc/10/net/unix", "0: 00000002 00000000 00010000 0001 01 503 /run/x.sock\n");
  tree.write("proc/10/net/udp", row("00000000:01BB", "00000000:0000", 7, 504));

  const auto listeners = read_listeners(tree.fs(), 10);
  ASSERT_TRUE(listeners.ok());
  ASSERT_EQ(listeners->tcp.size(), 2u);
  EXPECT_EQ(to_string(listeners->tcp[0].local), "127.0.0.1:3000");
  EXPECT_EQ(listeners->tcp[0].queued, 5u);
  EXPECT_FALSE(listeners->tcp[0].backlog.has_value()) << "a fake tree has no kernel to ask";
  EXPECT_EQ(listening_ports(*listeners), (std::vector<std::uint16_t>{3000}));
  EXPECT_EQ(listeners->unix_paths, (std::vector<std::string>{"/run/x.sock"}));
  ASSERT_EQ(listeners->udp.size(), 1u);
  EXPECT_EQ(listeners->udp[0].port, 443);

  const auto connections = read_connections(tree.fs(), 10);
  ASSERT_TRUE(connections.ok());
  ASSERT_EQ(connections->size(), 1u);
  EXPECT_EQ((*connections)[0].remote, local(0xc000));
  EXPECT_FALSE(read_listeners(tree.fs(), 11).ok());
}

TEST(Sockets, PeersInOneAndInOtherNamespaces) {
  FakeTree tree;
  tree.add({.pid = 10, .socket_inodes = {501, 502}, .net_ns = 1});
  tree.add({.pid = 20, .comm = "wrk", .socket_inodes = {601}, .net_ns = 1});
  tree.add({.pid = 30, .comm = "postgres", .socket_inodes = {701, 702}, .net_ns = 2});
  tree.write("proc/10/net/tcp", row("0100007F:0BB8", "0100007F:C000", 1, 501) +
                                    row("0100007F:C000", "0100007F:0BB8", 1, 601) +
                                    row("020011AC:C001", "030011AC:1538", 1, 502));
  // The same loopback addresses in another namespace are another connection.
  tree.write("proc/30/net/tcp", row("030011AC:1538", "020011AC:C001", 1, 701) +
                                    row("0100007F:C005", "0100007F:0BB8", 1, 702));
  const std::array<SocketPair, 4> wanted{{{local(3000), local(0xc000)},
                                          {bridge(2, 0xc001), bridge(3, 5432)},
                                          {local(3000), local(0xc005)},
                                          {bridge(2, 0xc009), bridge(9, 1)}}};
  EXPECT_EQ(find_peers(tree.fs(), 10, wanted), (std::vector<pid_t>{20, 30, 0, 0}));
  EXPECT_TRUE(find_peers(tree.fs(), 10, {}).empty());
}

TEST(Endpoint, TextAndClasses) {
  std::array<std::uint8_t, 16> v6{};
  v6[15] = 1;
  EXPECT_EQ(to_string(Endpoint{ipv6_address(v6.data()), 80}), "[::1]:80");
  EXPECT_TRUE(is_loopback(ipv6_address(v6.data())));
  EXPECT_TRUE(is_loopback(local(1).address));
  EXPECT_FALSE(is_loopback(bridge(1, 1).address));
  EXPECT_TRUE(is_unspecified(IpAddress{}));
  EXPECT_FALSE(is_unspecified(local(1).address));
}

}  // namespace
}  // namespace srvprof
