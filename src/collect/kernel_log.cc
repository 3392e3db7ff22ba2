#include "collect/kernel_log.h"

#include <bpf/libbpf.h>

#include <algorithm>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "target/privileges.h"

namespace srvprof {
namespace {

// libbpf's warnings explain a refusal better than an errno does; the last ones are kept for messages.
std::string& libbpf_log() {
  thread_local std::string log;
  return log;
}

std::atomic<bool> print_log = false;

constexpr std::size_t kKeptLog = 65536;

// One warning may hold all that the verifier said, megabytes: its begin and its end are kept.
int keep_warning(libbpf_print_level level, const char* format, va_list args) {
  if (level == LIBBPF_DEBUG) return 0;
  char* text = nullptr;
  const int n = ::vasprintf(&text, format, args);
  if (n < 0) return n;
  const std::string_view said(text, static_cast<std::size_t>(n));
  if (print_log) std::fwrite(said.data(), 1, said.size(), stderr);
  std::string& log = libbpf_log();
  if (said.size() <= kKeptLog / 2) {
    log += said;
  } else {
    log += fmt::format("{}\n...\n{}", said.substr(0, kKeptLog / 8), said.substr(said.size() - kKeptLog / 4));
  }
  if (log.size() > kKeptLog) log.erase(0, log.size() - kKeptLog / 2);
  std::free(text);
  return n;
}

// The first line of libbpf's log that is not verifier output.
std::string first_warning() {
  const std::string& log = libbpf_log();
  const std::size_t at = log.find("libbpf: ");
  if (at == std::string::npos) return {};
  const std::size_t end = log.find('\n', at);
  return log.substr(at + 8, end == std::string::npos ? end : end - at - 8);
}

// Why the verifier refused a program: what it said last, before it counted.
std::string verifier_reason() {
  const std::string& log = libbpf_log();
  std::size_t end = log.find("\nprocessed ");
  if (end == std::string::npos) end = log.find("\n-- END PROG LOAD LOG");
  if (end == std::string::npos || end == 0) return {};
  const std::size_t begin = log.rfind('\n', end - 1);
  return begin == std::string::npos ? "" : log.substr(begin + 1, end - begin - 1);
}

}  // namespace

void keep_kernel_log() { libbpf_set_print(keep_warning); }

void clear_kernel_log() { libbpf_log().clear(); }

void print_kernel_log(bool on) { print_log = on; }

Error refusal(std::string_view doing, int errno_value) {
  Error e = errno_error(std::string(doing), errno_value);
  if (const std::string why = first_warning(); !why.empty()) {
    const std::string verifier = verifier_reason();
    e.what += fmt::format(" ({}{}{})", why, verifier.empty() ? "" : "; the verifier: ", verifier);
  }
  if (e.kind == ErrorKind::kPermission) {
    e.hint = "run as root (sudo srvprof ...), or let an ordinary user, once: " + grant_command() +
             "; `srvprof doctor` names what is missing";
  } else {
    e.kind = ErrorKind::kKernel;
    e.hint = "`srvprof doctor` tells, probe by probe, what this kernel lacks";
  }
  return e;
}

}  // namespace srvprof
