// Which process owns which socket: listeners and connections of the target, and who is at the other
// end of its connections on this machine (load generators, databases).
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/endpoint.h"
#include "base/result.h"
#include "target/net_table.h"
#include "target/proc_fs.h"

namespace srvprof {

// The socket inodes that a process has open, each once, ascending.
Result<std::vector<std::uint64_t>> read_socket_inodes(const ProcFs& fs, pid_t pid);

// Who holds which of `inodes`; a socket shared by several processes appears once for each.
struct SocketHolder {
  std::uint64_t inode = 0;
  pid_t pid = 0;
};
// One pass over the descriptors of all processes that may be inspected.
std::vector<SocketHolder> find_socket_holders(const ProcFs& fs,
                                              const std::unordered_set<std::uint64_t>& inodes);

// tcp and tcp6 of a directory such as "/proc/42/net"; unreadable tables are empty.
std::vector<InetSocket> read_tcp_table(const std::string& net_directory);
std::vector<InetSocket> read_tcp_listeners(const std::string& net_directory);

struct ListeningSocket {
  std::uint64_t inode = 0;
  Endpoint local;
  std::uint32_t queued = 0;              // connections established and not yet accepted
  std::optional<std::uint32_t> backlog;  // length of the accept queue, where it could be asked
};

// Everything that a process listens on. What is not TCP is not measured, but has to be named.
struct Listeners {
  std::vector<ListeningSocket> tcp;
  std::vector<std::string> unix_paths;  // listening stream sockets; hostile text
  std::vector<Endpoint> udp;            // bound and not connected (HTTP/3, statsd ...)
};

Result<Listeners> read_listeners(const ProcFs& fs, pid_t pid);

// TCP ports of `listeners`, each once, ascending.
std::vector<std::uint16_t> listening_ports(const Listeners& listeners);

// The TCP sockets of a process that are not listeners.
Result<std::vector<InetSocket>> read_connections(const ProcFs& fs, pid_t pid);

// A TCP connection as the target sees it.
struct SocketPair {
  Endpoint local;
  Endpoint remote;
};

// The process at the far end of each connection; pid 0 where it is not on this machine, or not
// visible. `pid` is the target: its network namespace is searched first, then the others (there
// loopback addresses are other hosts' and do not count). One pass for all connections.
std::vector<pid_t> find_peers(const ProcFs& fs, pid_t pid, std::span<const SocketPair> connections);

}  // namespace srvprof
