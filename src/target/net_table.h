// The kernel's tables of sockets (/proc/net/tcp, tcp6, udp, unix) as plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/endpoint.h"

namespace srvprof {

// States of /proc/net/tcp that matter here (enum of net/tcp_states.h).
inline constexpr unsigned kTcpEstablished = 1;
inline constexpr unsigned kTcpListen = 10;

struct InetSocket {
  Endpoint local;
  Endpoint remote;
  unsigned state = 0;
  std::uint32_t tx_queue = 0;  // bytes not yet acknowledged
  std::uint32_t rx_queue = 0;  // bytes not yet read; of a listener: connections not yet accepted
  std::uint64_t inode = 0;     // 0 = no longer a process's (TIME_WAIT), or not yet accepted
};

// Text of tcp, tcp6, udp or udp6; the family follows from the length of the addresses. The header
// and malformed lines are left out.
std::vector<InetSocket> parse_inet_table(std::string_view text);

struct UnixSocket {
  bool listening = false;
  unsigned type = 0;  // SOCK_*
  std::uint64_t inode = 0;
  std::string path;  // "" = unnamed, '@' first = abstract; hostile text
};

std::vector<UnixSocket> parse_unix_table(std::string_view text);

// The counter `name` of group `group` (e.g. "TcpExt", "ListenDrops") in the text of
// /proc/net/netstat or snmp; 0 and `found` false if it is not there.
struct NetCounter {
  bool found = false;
  std::uint64_t value = 0;
};
NetCounter find_net_counter(std::string_view text, std::string_view group, std::string_view name);

}  // namespace srvprof
