// HTTP/1: the first line of a request, and what a status code means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace srvprof {

struct RequestLine {
  std::string method;  // "GET"; as sent, methods are case-sensitive
  // Without query and fragment. The path of an origin or absolute target ("/" if that has none),
  // "host:port" of CONNECT, "*". Bytes are as sent: escape before printing.
  std::string path;
  bool path_cut = false;  // the path goes on behind what was kept
};

// `head`: the first bytes of a request, at least its first line or as much of it as was kept; zeros
// at its end are padding. `limit`: how many bytes are kept at most; a shorter head that lacks its
// line end was whole. Nothing if the line is not that of an HTTP/1 request. With keep_query the
// path keeps its query string.
std::optional<RequestLine> parse_request_line(std::string_view head, std::size_t limit,
                                              bool keep_query = false);

// "2xx", "4xx", ...; "none" for 0 (no answer was seen) and "other" outside 100..599.
std::string_view status_class(std::uint16_t status);

}  // namespace srvprof
