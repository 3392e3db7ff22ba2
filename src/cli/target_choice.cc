#include "cli/target_choice.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/escape.h"
#include "base/parse.h"
#include "target/find.h"

namespace srvprof {
namespace {

Result<ProcessInfo> by_pid_text(const ProcFs& fs, const std::string& text) {
  const std::optional<pid_t> pid = parse_number<pid_t>(text);
  if (!pid || *pid <= 0) {
    return usage_error(fmt::format("--pid '{}': not a process id", escape_text(text)),
                       "srvprof list servers, or --port or --name");
  }
  if (*pid == ::getpid()) {
    return usage_error(fmt::format("--pid {}: this is srvprof itself", *pid));
  }
  return find_by_pid(fs, *pid);
}

}  // namespace

Result<std::vector<ProcessInfo>> chosen_targets(const Args& args) {
  const ProcFs fs;
  std::vector<std::string> pids = args.all("pid");
  pids.insert(pids.end(), args.words.begin(), args.words.end());
  const int ways =
      !pids.empty() + args.has("port") + args.has("name") + args.has("cgroup") + args.has("tid");
  if (ways == 0) {
    return usage_error("attach: which process?",
                       "-p PID, --port PORT or --name PATTERN; "
                       "srvprof list servers shows some");
  }
  if (ways > 1) {
    return usage_error("attach: --pid, --tid, --port, --name and --cgroup exclude each other");
  }
  std::vector<ProcessInfo> out;
  if (args.has("port")) {
    const auto port = static_cast<std::uint16_t>(TRY(args.number("port", 0, 1, 65535)));
    std::vector<ProcessInfo> found = TRY(find_by_port(fs, port));
    out.push_back(TRY(choose_process(fs, std::move(found), fmt::format("port {}", port))));
    return out;
  }
  if (args.has("name")) {
    const std::string name = args.text("name");
    std::vector<ProcessInfo> found = TRY(find_by_name(fs, name));
    out.push_back(
        TRY(choose_process(fs, std::move(found), fmt::format("name '{}'", escape_text(name)))));
    return out;
  }
  if (args.has("cgroup")) return find_by_cgroup(fs, args.text("cgroup"));
  if (args.has("tid")) {
    const std::uint64_t tid = TRY(args.number("tid", 0, 1, 1u << 22));
    out.push_back(TRY(find_by_tid(fs, static_cast<pid_t>(tid))));
    return out;
  }
  for (const std::string& text : pids) {
    ProcessInfo process = TRY(by_pid_text(fs, text));
    const bool twice = std::any_of(out.begin(), out.end(),
                                   [&](const ProcessInfo& p) { return p.pid == process.pid; });
    if (!twice) out.push_back(std::move(process));
  }
  return out;
}

}  // namespace srvprof
