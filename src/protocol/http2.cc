// HTTP/2 with prior knowledge (RFC 9113, 3.4). Over TLS it cannot be told from other TLS.
#include "protocol/protocol.h"

namespace srvprof {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

bool recognise(std::string_view first) {
  // "P" or "PR" alone is more likely the start of POST or PROPFIND.
  if (first.size() < 4) return false;
  return first.substr(0, kPreface.size()) == kPreface.substr(0, first.size());
}

}  // namespace

const Protocol kHttp2 = {
    .id = "http2", .title = "HTTP/2", .measured = false, .ports = {}, .recognise = recognise};

}  // namespace srvprof
