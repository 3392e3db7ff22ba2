// An IP address with a port, in one canonical form: an IPv4-mapped IPv6 address is IPv4.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace srvprof {

// The bytes in network order; IPv4 uses the first four, the others are zero.
struct IpAddress {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};

  friend constexpr auto operator<=>(const IpAddress&, const IpAddress&) = default;
};

struct Endpoint {
  IpAddress address;
  std::uint16_t port = 0;  // host order

  friend constexpr auto operator<=>(const Endpoint&, const Endpoint&) = default;
};

// `network_bytes` points at 4 bytes; the second form at 16 (a mapped address becomes IPv4).
IpAddress ipv4_address(const std::uint8_t* network_bytes);
IpAddress ipv6_address(const std::uint8_t* network_bytes);

bool is_loopback(const IpAddress& address);     // 127.0.0.0/8, ::1
bool is_unspecified(const IpAddress& address);  // 0.0.0.0, ::

std::string to_string(const IpAddress& address);
std::string to_string(const Endpoint& endpoint);  // "127.0.0.1:80", "[::1]:80"

}  // namespace srvprof

template <>
struct std::hash<srvprof::Endpoint> {
  std::size_t operator()(const srvprof::Endpoint& e) const noexcept;
};
