// PostgreSQL 3.x, frontend side: a start-up packet (length, then a protocol number or a request
// code), or an ordinary message (type letter, then length).
#include "protocol/protocol.h"

namespace srvprof {
namespace {

std::uint32_t big_endian(std::string_view s) {
  std::uint32_t value = 0;
  for (const char c : s.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

bool is_startup(std::string_view first) {
  const std::uint32_t length = big_endian(first);
  const std::uint32_t code = big_endian(first.substr(4));
  // 80877102: cancel, 80877103: TLS, 80877104: GSS. 10,000 is the server's own limit.
  const bool known_code = code >> 16 == 3 || (code >= 80877102 && code <= 80877104);
  return length >= 8 && length <= 10000 && known_code;
}

bool recognise(std::string_view first) {
  if (first.size() < 5) return false;  // nothing that a text protocol could not begin with as well
  if (first.size() >= 8 && is_startup(first)) return true;
  // Query, Parse, Bind, Execute, Describe, Sync, Close, Flush, password, terminate: a message is
  // shorter than 16 MiB in all likelihood, which text ("GET ", "PING") as a length is not.
  constexpr std::string_view kTypes = "QPBEDSCHFpXd";
  const std::uint32_t length = big_endian(first.substr(1));
  return kTypes.find(first[0]) != std::string_view::npos && length >= 4 && length < (1U << 24);
}

}  // namespace

const Protocol kPgsql = {.id = "pgsql",
                         .title = "PostgreSQL",
                         .measured = false,
                         .ports = {5432, 5433, 6432, 0},
                         .recognise = recognise};

}  // namespace srvprof
