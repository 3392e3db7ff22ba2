#include "base/endpoint.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string_view>

namespace srvprof {

IpAddress ipv4_address(const std::uint8_t* network_bytes) {
  IpAddress a;
  std::copy_n(network_bytes, 4, a.bytes.begin());
  return a;
}

IpAddress ipv6_address(const std::uint8_t* network_bytes) {
  constexpr std::array<std::uint8_t, 12> kMapped{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(kMapped.begin(), kMapped.end(), network_bytes)) {
    return ipv4_address(network_bytes + kMapped.size());
  }
  IpAddress a;
  a.v6 = true;
  std::copy_n(network_bytes, 16, a.bytes.begin());
  return a;
}

bool is_loopback(const IpAddress& address) {
  if (!address.v6) return address.bytes[0] == 127;
  IpAddress one;
  one.v6 = true;
  one.bytes[15] = 1;
  return address == one;
}

bool is_unspecified(const IpAddress& address) {
  return std::all_of(address.bytes.begin(), address.bytes.end(), [](auto b) { return b == 0; });
}

std::string to_string(const IpAddress& address) {
  char text[INET6_ADDRSTRLEN] = "";
  inet_ntop(address.v6 ? AF_INET6 : AF_INET, address.bytes.data(), text, sizeof text);
  return text;
}

std::string to_string(const Endpoint& endpoint) {
  const std::string port = ":" + std::to_string(endpoint.port);
  const std::string address = to_string(endpoint.address);
  return endpoint.address.v6 ? "[" + address + "]" + port : address + port;
}

}  // namespace srvprof

std::size_t std::hash<srvprof::Endpoint>::operator()(const srvprof::Endpoint& e) const noexcept {
  const std::string_view bytes(reinterpret_cast<const char*>(e.address.bytes.data()),
                               e.address.bytes.size());
  return std::hash<std::string_view>{}(bytes)*31 + e.port * 2u + (e.address.v6 ? 1u : 0u);
}
