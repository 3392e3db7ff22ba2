#include "target/sockets.h"

#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "target/sock_diag.h"

namespace srvprof {
namespace {

std::uint64_t socket_inode(const std::string& descriptor_path) {
  const auto link = read_link(descriptor_path);
  return link.ok() ? bracketed_number(*link, "socket:") : 0;
}

std::vector<InetSocket> read_table(const std::string& path) {
  const auto text = read_file(path);
  return text.ok() ? parse_inet_table(*text) : std::vector<InetSocket>{};
}

bool contains(const std::vector<std::uint64_t>& sorted, std::uint64_t inode) {
  return std::binary_search(sorted.begin(), sorted.end(), inode);
}

using PairKey = std::pair<Endpoint, Endpoint>;

// The peer's socket has our addresses the other way round.
void match_peers(const std::vector<InetSocket>& table, bool own_namespace,
                 const std::multimap<PairKey, std::size_t>& wanted,
                 std::vector<std::uint64_t>& inode_of) {
  for (const auto& socket : table) {
    if (socket.inode == 0 || socket.state == kTcpListen) continue;
    if (!own_namespace && is_loopback(socket.local.address)) continue;
    const auto [begin, end] = wanted.equal_range({socket.remote, socket.local});
    for (auto it = begin; it != end; ++it) {
      if (inode_of[it->second] == 0) inode_of[it->second] = socket.inode;
    }
  }
}

}  // namespace

Result<std::vector<std::uint64_t>> read_socket_inodes(const ProcFs& fs, pid_t pid) {
  const std::string directory = pid_path(fs, pid, "fd");
  const auto descriptors = TRY(list_numbers(directory));
  std::vector<std::uint64_t> inodes;
  for (const pid_t fd : descriptors) {
    const auto inode = socket_inode(directory + "/" + std::to_string(fd));
    if (inode != 0) inodes.push_back(inode);
  }
  std::sort(inodes.begin(), inodes.end());
  inodes.erase(std::unique(inodes.begin(), inodes.end()), inodes.end());
  return inodes;
}

std::vector<SocketHolder> find_socket_holders(const ProcFs& fs,
                                              const std::unordered_set<std::uint64_t>& inodes) {
  std::vector<SocketHolder> holders;
  const auto pids = list_numbers(fs.proc);
  if (!pids.ok() || inodes.empty()) return holders;
  for (const pid_t pid : *pids) {
    const auto held = read_socket_inodes(fs, pid);
    if (!held.ok()) continue;
    for (const auto inode : *held) {
      if (inodes.contains(inode)) holders.push_back({inode, pid});
    }
  }
  return holders;
}

std::vector<InetSocket> read_tcp_table(const std::string& net_directory) {
  auto sockets = read_table(net_directory + "/tcp");
  const auto v6 = read_table(net_directory + "/tcp6");
  sockets.insert(sockets.end(), v6.begin(), v6.end());
  return sockets;
}

std::vector<InetSocket> read_tcp_listeners(const std::string& net_directory) {
  auto sockets = read_tcp_table(net_directory);
  std::erase_if(sockets, [](const InetSocket& s) { return s.state != kTcpListen; });
  return sockets;
}

Result<Listeners> read_listeners(const ProcFs& fs, pid_t pid) {
  const auto inodes = TRY(read_socket_inodes(fs, pid));
  const std::string net = pid_path(fs, pid, "net");
  Listeners listeners;
  for (const auto& socket : read_tcp_listeners(net)) {
    if (!contains(inodes, socket.inode)) continue;
    listeners.tcp.push_back({socket.inode, socket.local, socket.rx_queue, std::nullopt});
  }
  if (!listeners.tcp.empty()) {
    const auto backlogs = query_listen_backlogs(fs, pid);
    for (auto& socket : listeners.tcp) {
      if (!backlogs.ok()) break;
      const auto it = backlogs->find(socket.inode);
      if (it != backlogs->end()) socket.backlog = it->second;
    }
  }
  if (const auto text = read_file(net + "/unix"); text.ok()) {
    for (auto& socket : parse_unix_table(*text)) {
      if (socket.listening && contains(inodes, socket.inode)) {
        listeners.unix_paths.push_back(std::move(socket.path));
      }
    }
  }
  for (const char* table : {"/udp", "/udp6"}) {
    for (const auto& socket : read_table(net + table)) {
      if (contains(inodes, socket.inode) && socket.remote.port == 0) {
        listeners.udp.push_back(socket.local);
      }
    }
  }
  return listeners;
}

std::vector<std::uint16_t> listening_ports(const Listeners& listeners) {
  std::vector<std::uint16_t> ports;
  for (const auto& socket : listeners.tcp) ports.push_back(socket.local.port);
  std::sort(ports.begin(), ports.end());
  ports.erase(std::unique(ports.begin(), ports.end()), ports.end());
  return ports;
}

Result<std::vector<InetSocket>> read_connections(const ProcFs& fs, pid_t pid) {
  const auto inodes = TRY(read_socket_inodes(fs, pid));
  auto sockets = read_tcp_table(pid_path(fs, pid, "net"));
  std::erase_if(sockets, [&](const InetSocket& s) {
    return s.state == kTcpListen || s.inode == 0 || !contains(inodes, s.inode);
  });
  return sockets;
}

std::vector<pid_t> find_peers(const ProcFs& fs, pid_t pid,
                              std::span<const SocketPair> connections) {
  std::multimap<PairKey, std::size_t> wanted;
  for (std::size_t i = 0; i < connections.size(); ++i) {
    wanted.emplace(PairKey{connections[i].local, connections[i].remote}, i);
  }
  std::vector<std::uint64_t> inode_of(connections.size(), 0);
  match_peers(read_tcp_table(pid_path(fs, pid, "net")), true, wanted, inode_of);
  const auto missing = [&] {
    for (std::size_t i = 0; i < inode_of.size(); ++i) {
      if (inode_of[i] == 0 && !is_loopback(connections[i].remote.address)) return true;
    }
    return false;
  };
  if (missing()) {
    std::unordered_set<std::uint64_t> seen{namespace_inode(fs, pid, "net")};
    const auto pids = list_numbers(fs.proc);
    for (const pid_t each : pids.ok() ? *pids : std::vector<pid_t>{}) {
      const std::uint64_t ns = namespace_inode(fs, each, "net");
      if (ns == 0 || !seen.insert(ns).second) continue;
      match_peers(read_tcp_table(pid_path(fs, each, "net")), false, wanted, inode_of);
    }
  }
  std::unordered_set<std::uint64_t> inodes(inode_of.begin(), inode_of.end());
  inodes.erase(0);
  std::unordered_map<std::uint64_t, pid_t> holder_of;
  for (const auto& holder : find_socket_holders(fs, inodes)) {
    holder_of.emplace(holder.inode, holder.pid);
  }
  std::vector<pid_t> peers(connections.size(), 0);
  for (std::size_t i = 0; i < peers.size(); ++i) {
    const auto it = holder_of.find(inode_of[i]);
    if (it != holder_of.end()) peers[i] = it->second;
  }
  return peers;
}

}  // namespace srvprof
