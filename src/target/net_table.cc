#include "target/net_table.h"

#include <array>
#include <cstring>
#include <optional>

#include "base/parse.h"

namespace srvprof {
namespace {

// "0100007F:0BB8": each 32-bit word of the address is printed as a number of the host's byte order.
std::optional<Endpoint> parse_hex_endpoint(std::string_view text) {
  const std::string_view address = next_until(text, ':');
  const auto port = parse_number<std::uint16_t>(text, 16);
  if (!port || (address.size() != 8 && address.size() != 32)) return std::nullopt;
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < address.size() / 8; ++i) {
    const auto word = parse_number<std::uint32_t>(address.substr(i * 8, 8), 16);
    if (!word) return std::nullopt;
    std::memcpy(bytes.data() + i * 4, &*word, 4);
  }
  const bool v4 = address.size() == 8;
  return Endpoint{v4 ? ipv4_address(bytes.data()) : ipv6_address(bytes.data()), *port};
}

// sl local remote st tx:rx tr:when retrnsmt uid timeout inode ...
std::optional<InetSocket> parse_inet_line(std::string_view line) {
  if (!next_field(line).ends_with(':')) return std::nullopt;
  const auto local = parse_hex_endpoint(next_field(line));
  const auto remote = parse_hex_endpoint(next_field(line));
  const auto state = parse_number<unsigned>(next_field(line), 16);
  std::string_view queues = next_field(line);
  const auto tx = parse_number<std::uint32_t>(next_until(queues, ':'), 16);
  const auto rx = parse_number<std::uint32_t>(queues, 16);
  for (int skipped = 0; skipped < 4; ++skipped) next_field(line);
  const auto inode = parse_number<std::uint64_t>(next_field(line));
  if (!local || !remote || !state || !tx || !rx || !inode) return std::nullopt;
  return InetSocket{*local, *remote, *state, *tx, *rx, *inode};
}

// Num RefCount Protocol Flags Type St Inode [Path]; the path is the rest of the line.
std::optional<UnixSocket> parse_unix_line(std::string_view line) {
  constexpr std::uint32_t kAcceptsConnections = 0x10000;  // __SO_ACCEPTCON
  if (!next_field(line).ends_with(':')) return std::nullopt;
  next_field(line);
  next_field(line);
  const auto flags = parse_number<std::uint32_t>(next_field(line), 16);
  const auto type = parse_number<unsigned>(next_field(line), 16);
  next_field(line);
  const auto inode = parse_number<std::uint64_t>(next_field(line));
  if (!flags || !type || !inode) return std::nullopt;
  if (line.starts_with(' ')) line.remove_prefix(1);
  return UnixSocket{(*flags & kAcceptsConnections) != 0, *type, *inode, std::string(line)};
}

}  // namespace

std::vector<InetSocket> parse_inet_table(std::string_view text) {
  std::vector<InetSocket> sockets;
  std::string_view line;
  while (next_line(text, line)) {
    if (const auto socket = parse_inet_line(line)) sockets.push_back(*socket);
  }
  return sockets;
}

std::vector<UnixSocket> parse_unix_table(std::string_view text) {
  std::vector<UnixSocket> sockets;
  std::string_view line;
  while (next_line(text, line)) {
    if (auto socket = parse_unix_line(line)) sockets.push_back(std::move(*socket));
  }
  return sockets;
}

NetCounter find_net_counter(std::string_view text, std::string_view group, std::string_view name) {
  // Two lines a group: the names, then the values in the same order.
  std::string_view names, values;
  while (next_line(text, names)) {
    const std::string_view key = next_field(names);
    if (!key.ends_with(':') || key.substr(0, key.size() - 1) != group) continue;
    if (!next_line(text, values) || next_field(values) != key) return {};
    for (;;) {
      const std::string_view each = next_field(names), value = next_field(values);
      if (each.empty() || value.empty()) return {};
      if (each != name) continue;
      const auto number = parse_number<std::uint64_t>(value);
      return number ? NetCounter{true, *number} : NetCounter{};
    }
  }
  return {};
}

}  // namespace srvprof
