#include "target/stat.h"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/parse.h"

namespace srvprof {
namespace {

constexpr unsigned kMaxCpu = 4096;

template <class T>
void assign(T& to, std::string_view text, int base = 10) {
  if (const auto value = parse_number<T>(trim(text), base)) to = *value;
}

Error malformed(std::string_view what) {
  return Error{"parsing " + std::string(what) + ": unexpected form", "", ErrorKind::kFailed};
}

}  // namespace

Result<ProcStat> parse_proc_stat(std::string_view text) {
  // The name stands in parentheses and may itself hold blanks, newlines and parentheses; nothing
  // after it does, so the last ')' ends it.
  const auto open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return malformed("stat");
  }
  ProcStat s;
  const auto pid = parse_number<pid_t>(trim(text.substr(0, open)));
  if (!pid) return malformed("stat");
  s.pid = *pid;
  s.comm = text.substr(open + 1, close - open - 1);

  // Numbered as in proc(5), where the state is field 3.
  std::array<std::string_view, 20> field;
  std::string_view rest = trim(text.substr(close + 1));
  for (auto& f : field) f = next_field(rest);
  const auto at = [&](std::size_t number) { return field[number - 3]; };
  if (at(3).size() != 1) return malformed("stat");
  s.state = at(3)[0];
  assign(s.ppid, at(4));
  assign(s.flags, at(9));
  assign(s.min_faults, at(10));
  assign(s.major_faults, at(12));
  assign(s.utime_ticks, at(14));
  assign(s.stime_ticks, at(15));
  assign(s.nice, at(19));
  assign(s.threads, at(20));
  const auto start = parse_number<std::uint64_t>(at(22));
  if (!start) return malformed("stat");
  s.start_ticks = *start;
  return s;
}

ProcStatus parse_proc_status(std::string_view text) {
  ProcStatus s;
  std::string_view line;
  while (next_line(text, line)) {
    std::string_view value = line;
    const std::string_view key = next_until(value, ':');
    if (key == "Tgid") {
      assign(s.tgid, value);
    } else if (key == "TracerPid") {
      assign(s.tracer, value);
    } else if (key == "Uid") {
      next_field(value);  // the real one
      assign(s.uid, next_field(value));
    } else if (key == "NSpid") {
      s.ns_pids.clear();
      while (const auto pid = parse_number<pid_t>(next_field(value))) s.ns_pids.push_back(*pid);
    } else if (key == "Cpus_allowed_list") {
      s.cpus_allowed = trim(value);
    } else if (key == "CapEff") {
      assign(s.cap_effective, value, 16);
    } else if (key == "CapBnd") {
      assign(s.cap_bounding, value, 16);
    } else if (key == "SigCgt") {
      assign(s.signals_caught, value, 16);
    }
  }
  return s;
}

Result<SchedStat> parse_schedstat(std::string_view text) {
  std::string_view rest = trim(text);
  const auto cpu = parse_number<std::int64_t>(next_field(rest));
  const auto run_queue = parse_number<std::int64_t>(next_field(rest));
  const auto slices = parse_number<std::uint64_t>(next_field(rest));
  if (!cpu || !run_queue || !slices) return malformed("schedstat");
  return SchedStat{Duration(*cpu), Duration(*run_queue), *slices};
}

std::optional<std::uint64_t> parse_statm_resident(std::string_view text) {
  next_field(text);
  return parse_number<std::uint64_t>(trim(next_field(text)));
}

std::vector<std::string> parse_cmdline(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) words.emplace_back(next_until(text, '\0'));
  // Programs that rewrite their title leave a tail of NULs.
  while (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

std::vector<unsigned> parse_cpu_list(std::string_view text) {
  std::vector<unsigned> cpus;
  text = trim(text);
  while (!text.empty()) {
    std::string_view range = next_until(text, ',');
    const auto first = parse_number<unsigned>(trim(next_until(range, '-')));
    const auto last = range.empty() ? first : parse_number<unsigned>(trim(range));
    if (!first || !last || *first >= kMaxCpu) continue;
    for (unsigned cpu = *first; cpu <= std::min(*last, kMaxCpu - 1); ++cpu) cpus.push_back(cpu);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

Duration ticks_to_duration(std::uint64_t ticks) {
  static const auto per_second = static_cast<std::uint64_t>(std::max(1L, sysconf(_SC_CLK_TCK)));
  const std::uint64_t ns_per_tick = 1'000'000'000u / per_second;
  return Duration(static_cast<std::int64_t>(ticks * ns_per_tick));
}

}  // namespace srvprof
