// Redis (RESP 2 and 3), client side: an array of bulk strings. Inline commands ("PING\r\n") look
// like any text and are not recognised.
#include "protocol/protocol.h"

namespace srvprof {
namespace {

bool recognise(std::string_view first) {
  if (first.empty() || first[0] != '*') return false;
  std::size_t i = 1;
  while (i < first.size() && first[i] >= '0' && first[i] <= '9') ++i;
  if (i == first.size()) return i <= 8;
  if (i == 1 || i > 8 || first[i] != '\r') return false;
  constexpr std::string_view kRest = "\r\n$";
  const std::string_view rest = first.substr(i, kRest.size());
  return rest == kRest.substr(0, rest.size());
}

}  // namespace

const Protocol kResp = {.id = "resp",
                        .title = "Redis",
                        .measured = false,
                        .ports = {6379, 6380, 26379, 0},
                        .recognise = recognise};

}  // namespace srvprof
