#include "protocol/http1.h"

#include <array>

#include "protocol/protocol.h"

namespace srvprof {
namespace {

constexpr std::size_t kMethodMax = 24;  // the longest registered one has 17 (UPDATEREDIRECTREF)

// tchar of RFC 9110, 5.6.2, of which methods are made.
bool is_token_char(char c) {
  if ((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) return true;
  return std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_method(std::string_view s) {
  if (s.empty() || s.size() > kMethodMax) return false;
  for (const char c : s) {
    if (!is_token_char(c)) return false;
  }
  return true;
}

std::string_view without_padding(std::string_view head) {
  while (!head.empty() && head.back() == '\0') head.remove_suffix(1);
  return head;
}

// "http://user:secret@host:80/a/b" -> "/a/b". Only the path is kept: the authority may hold
// secrets.
std::string_view path_of_absolute(std::string_view target) {
  const auto scheme = target.find("://");
  if (scheme == std::string_view::npos) return target;
  const auto path = target.find_first_of("/?#", scheme + 3);
  if (path == std::string_view::npos || target[path] != '/') return "/";
  return target.substr(path);
}

bool recognise(std::string_view first) {
  const auto space = first.find(' ');
  if (space ==
      std::string_view::npos) {  // too short to tell: only what all methods in use look like
    return !first.empty() && first.size() <= kMethodMax &&
           first.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-") == std::string_view::npos;
  }
  if (!is_method(first.substr(0, space))) return false;
  if (space + 1 == first.size()) return true;
  const char c = first[space + 1];
  return c == '/' || c == '*' || is_token_char(c) || c == '[';
}

}  // namespace

std::optional<RequestLine> parse_request_line(std::string_view head, std::size_t limit,
                                              bool keep_query) {
  const bool full = head.size() >= limit && !head.empty() && head.back() != '\0';
  head = without_padding(head);
  // RFC 9112, 2.2: empty lines before the request line are to be ignored.
  while (!head.empty() && (head.front() == '\r' || head.front() == '\n')) head.remove_prefix(1);
  const auto line_end = head.find_first_of("\r\n");
  const bool ended = line_end != std::string_view::npos;
  std::string_view line = head.substr(0, line_end);

  const auto space = line.find(' ');
  if (space == std::string_view::npos || !is_method(line.substr(0, space))) return std::nullopt;
  RequestLine out;
  out.method = line.substr(0, space);
  std::string_view rest = line.substr(space + 1);
  const auto target_end = rest.find(' ');
  std::string_view target = rest.substr(0, target_end);
  if (target.empty()) return std::nullopt;

  bool whole = ended || target_end != std::string_view::npos || !full;
  if (target.front() != '/' && out.method != "CONNECT") target = path_of_absolute(target);
  const auto path_end = target.find_first_of(keep_query ? "#" : "?#");
  if (path_end != std::string_view::npos) whole = true;
  out.path = target.substr(0, path_end);
  if (out.path.empty()) out.path = "/";
  out.path_cut = !whole;
  return out;
}

std::string_view status_class(std::uint16_t status) {
  static constexpr std::array<std::string_view, 5> kClasses = {"1xx", "2xx", "3xx", "4xx", "5xx"};
  if (status == 0) return "none";
  if (status < 100 || status > 599) return "other";
  return kClasses[status / 100U - 1U];
}

const Protocol kHttp1 = {
    .id = "http1", .title = "HTTP/1", .measured = true, .ports = {}, .recognise = recognise};

}  // namespace srvprof
