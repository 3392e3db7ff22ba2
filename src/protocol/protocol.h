// What the bytes of a connection mean. A protocol is one file and one line in all.cc.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace srvprof {

// A wire protocol, as far as srvprof tells it from others.
struct Protocol {
  std::string_view id;     // "http1"
  std::string_view title;  // "HTTP/1", as people write it
  // Whether its requests are told apart; connections of all others are only counted.
  bool measured = false;
  // Ports by which a downstream of that protocol is known, 0 = unused entry.
  std::array<std::uint16_t, 4> ports{};
  // Do the first bytes that a client sent look like it? Also true for a prefix too short to tell
  // from it if at least one byte is there. Never reads outside `first`.
  bool (*recognise)(std::string_view first);
};

// All of them, the most specific first.
std::span<const Protocol> protocols();

// The first protocol that recognises the bytes, or nullptr (also for no bytes at all).
const Protocol* recognise_protocol(std::string_view first);

// What usually listens on `port` ("PostgreSQL", "Redis", ...), empty if that is not known. A port
// is a convention: say "port 5432 (PostgreSQL)", not "PostgreSQL".
std::string_view service_of_port(std::uint16_t port);

// Name of a downstream: by the first bytes that were sent to it if they are known and recognised,
// else by its port; empty if neither tells.
std::string_view downstream_name(std::uint16_t port, std::string_view first = {});

extern const Protocol kHttp1;
extern const Protocol kHttp2;
extern const Protocol kTls;
extern const Protocol kPgsql;
extern const Protocol kResp;

}  // namespace srvprof
