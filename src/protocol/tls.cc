// TLS: a handshake record with a ClientHello (RFC 8446, 5.1), and SSL 3 to TLS 1.3 as its version.
#include "protocol/protocol.h"

namespace srvprof {
namespace {

bool recognise(std::string_view first) {
  constexpr char kHandshake = 0x16;
  constexpr char kClientHello = 0x01;
  if (first.empty() || first[0] != kHandshake) return false;
  if (first.size() > 1 && first[1] != 3) return false;
  if (first.size() > 2 && static_cast<unsigned char>(first[2]) > 4) return false;
  return first.size() <= 5 || first[5] == kClientHello;
}

}  // namespace

const Protocol kTls = {.id = "tls",
                       .title = "TLS",
                       .measured = false,
                       .ports = {443, 8443, 0, 0},
                       .recognise = recognise};

}  // namespace srvprof
