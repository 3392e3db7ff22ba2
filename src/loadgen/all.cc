// The list of load generators: a new one is a file in this folder and a line here.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/escape.h"
#include "loadgen/loadgen.h"
#include "loadgen/text.h"

namespace srvprof {
namespace {

// Those with the surest marks first. Plain CSV and what has no header come last.
constexpr std::span<const LoadFormat> (*kList[])() = {
    k6_formats,  autocannon_formats, vegeta_formats, wrk_formats,         oha_formats,
    hey_formats, ab_formats,         siege_formats,  truthclient_formats, plain_formats,
};

// Texts up to this size are cleaned of colours and progress lines; what is larger holds requests.
constexpr std::size_t kMaxReportBytes = std::size_t{16} << 20;

Error not_known(std::string_view name) {
  return Error{.what = fmt::format("reading {}: not the output of a load generator that srvprof "
                                   "knows",
                                   name),
               .hint = "'srvprof list loadgens' says which there are and how to call them"};
}

// Compressed or binary: says what it is as far as it shows.
std::optional<Error> refuse_binary(std::string_view head, std::string_view name) {
  if (head.substr(0, 2) == "\x1f\x8b") {
    return Error{.what = fmt::format("reading {}: the file is compressed", name),
                 .hint = "uncompress it first: gunzip FILE"};
  }
  if (head.find('\0') != std::string_view::npos) {
    return Error{.what = fmt::format("reading {}: the file is binary", name),
                 .hint = "vegeta's results become text with: vegeta encode -to json FILE"};
  }
  return std::nullopt;
}

// The first that recognises the text; one whose tool is named in the hint goes before others.
const LoadFormat* choose(std::string_view head, std::string_view name_hint) {
  const LoadFormat* first = nullptr;
  for (const LoadFormat& format : load_formats()) {
    if (!format.recognise(head)) continue;
    if (contains(name_hint, format.tool)) return &format;
    if (first == nullptr) first = &format;
  }
  return first;
}

}  // namespace

std::span<const LoadFormat> load_formats() {
  static const std::vector<LoadFormat> all = [] {
    std::vector<LoadFormat> out;
    for (const auto formats : kList) {
      const auto list = formats();
      out.insert(out.end(), list.begin(), list.end());
    }
    return out;
  }();
  return all;
}

Result<ClientRun> import_run(std::string_view text, std::string_view name_hint) {
  const std::string name = escape_text(name_hint.empty() ? "the load's output" : name_hint);
  if (text.size() > kMaxImportBytes) {
    return Error{.what = fmt::format("reading {}: larger than {} GiB", name, kMaxImportBytes >> 30),
                 .hint = "let the load generator write a summary instead"};
  }
  if (text.substr(0, 3) == "\xef\xbb\xbf") text.remove_prefix(3);
  if (auto error = refuse_binary(text.substr(0, kHeadBytes), name)) return *error;
  if (trim(text.substr(0, kHeadBytes)).empty()) {
    return Error{.what = fmt::format("reading {}: there is nothing in it", name), .hint = {}};
  }
  std::string cleaned;
  if (text.size() <= kMaxReportBytes && text.find_first_of("\x1b\r") != std::string_view::npos) {
    cleaned = strip_terminal(text);
    text = cleaned;
  }
  const LoadFormat* format = choose(text.substr(0, kHeadBytes), name_hint);
  if (format == nullptr) return not_known(name);
  Result<ClientRun> run = format->import(text);
  if (!run.ok()) {
    Error error = run.take_error();
    error.what = fmt::format("reading {} as {}: {}", name, format->doc, error.what);
    return error;
  }
  run->format = format->name;
  return run;
}

}  // namespace srvprof
