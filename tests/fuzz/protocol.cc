// The first bytes of connections and requests: the kernel side's recognisers, the request line, routes.
#include "fuzz.h"
#include "protocol/http1.h"
#include "protocol/protocol.h"
#include "protocol/route.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#include "http1.h"
#pragma GCC diagnostic pop

using namespace srvprof;

namespace {

void kernel_side(std::string_view text) {
  union {
    __sp_u64 words[SP_HEAD_MAX / 8];
    __sp_u8 bytes[SP_HEAD_MAX];
  } head{};
  std::memcpy(head.bytes, text.data(), std::min<std::size_t>(text.size(), SP_HEAD_MAX));
  (void)sp_recognise(head.bytes, static_cast<__sp_u32>(text.size()));
  const __sp_u32 status = sp_status(head.bytes);
  fuzz::require(status == 0 || (status >= 100 && status <= 999));
  fuzz::require(sp_line_bytes(head.words, SP_HEAD_MAX / 8) <= SP_HEAD_MAX);
}

}  // namespace

SRVPROF_FUZZ(input) {
  const std::string_view text = fuzz::text_of(input);
  kernel_side(text);
  (void)recognise_protocol(text);
  (void)downstream_name(5432, text);
  RouteTable routes(4);
  for (const bool query : {false, true}) {
    const auto line = parse_request_line(text, SP_HEAD_MAX, query);
    if (!line) continue;
    fuzz::require(query || line->path.find('?') == std::string::npos);
    fuzz::require(routes.intern(line->method, line->path, line->path_cut) < routes.names().size());
  }
  (void)fold_path(text);
  (void)fold_path(text, true);
  // One line, one request: none grows the table beyond its limit and the names for the rest.
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\n') continue;
    (void)routes.intern(text.substr(from, 4), text.substr(from, i - from));
    from = i;
  }
  fuzz::require(routes.names().size() <= 4 + 33);
}
