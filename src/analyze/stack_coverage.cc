#include "analyze/stack_coverage.h"

#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "analyze/words.h"

namespace srvprof {
namespace {

// rows::Stack::end.
enum End : std::size_t { kUnknown, kComplete, kBroken, kTooDeep, kEnds };

// Stacks of one process, by how their walk ended.
using Counts = std::array<std::uint64_t, kEnds>;

void count(const Trace& trace, std::uint64_t hash, std::map<std::uint32_t, Counts>& by_pid) {
  if (hash == 0) return;
  const auto stack = trace.stacks.find(hash);
  if (stack == trace.stacks.end()) return;
  const std::size_t end = stack->second.end < kEnds ? stack->second.end : std::size_t{kUnknown};
  ++by_pid[stack->second.pid][end];
}

// "node" of the target as its runtime says, other processes by their names.
std::string label(const Trace& trace, std::uint32_t pid) {
  const auto target = trace.meta.find("target.pid");
  const auto runtime = trace.meta.find("target.runtime");
  if (target != trace.meta.end() && target->second == std::to_string(pid) && runtime != trace.meta.end() &&
      !runtime->second.empty()) {
    return runtime->second;
  }
  const auto process = trace.processes.find(pid);
  return process == trace.processes.end() ? fmt::format("pid {}", pid)
                                          : fmt::format("{} {}", process->second.comm, pid);
}

// Rounded down, so that only what is whole is called so.
std::string share_words(std::uint64_t part, std::uint64_t all) {
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(all);
  return part == all ? "100 %" : fmt::format("{:.1f} %", std::floor(percent * 10) / 10);
}

std::string words(const Counts& n) {
  const std::uint64_t known = n[kComplete] + n[kBroken] + n[kTooDeep];
  if (known == 0) {
    return fmt::format("{} followed by frame pointers alone: how many are complete is not known",
                       count_words(n[kUnknown]));
  }
  std::string text = fmt::format("{} of {} reach the outermost frame of their thread",
                                 share_words(n[kComplete], known), count_words(known));
  if (n[kBroken] != 0) text += fmt::format("; {} lost their way", count_words(n[kBroken]));
  if (n[kTooDeep] != 0) text += fmt::format("; {} are deeper than what is kept", count_words(n[kTooDeep]));
  if (n[kUnknown] != 0) {
    text += fmt::format("; {} more by frame pointers alone", count_words(n[kUnknown]));
  }
  return text;
}

void add(const Trace& trace, const std::map<std::uint32_t, Counts>& by_pid, const char* where,
         std::vector<CoverageLine>& out) {
  for (const auto& [pid, counts] : by_pid) {
    out.push_back({CoverageLine::Level::kInfo, fmt::format("stacks {} ({})", where, label(trace, pid)),
                   words(counts)});
  }
}

}  // namespace

std::vector<CoverageLine> stack_coverage(const Trace& trace) {
  std::map<std::uint32_t, Counts> on, off;
  for (const rows::Sample& s : trace.samples) count(trace, s.ustack, on);
  for (const Thread& t : trace.threads) {
    for (const OffInterval& i : t.off) count(trace, i.ustack, off);
  }
  std::vector<CoverageLine> out;
  add(trace, on, "on CPU", out);
  add(trace, off, "off CPU", out);
  return out;
}

}  // namespace srvprof
