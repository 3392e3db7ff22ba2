#include "analyze/name_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>

#include "analyze/frames.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

struct Counts {
  std::uint64_t frames = 0;
  std::map<std::string, std::uint64_t> by_source;  // "" = no name
  std::uint64_t jit = 0, jit_named = 0;
};

// Code outside of any file: what a JIT compiler made.
bool is_jit(const rows::Frame& frame) {
  return frame.module == "[anon]" || frame.module == "[jit]" || frame.module == "[v8 compiled]" ||
         frame.module == "[jsc compiled]" || frame.module.starts_with("[anon:") ||
         frame.module.starts_with("/memfd:");
}

void count(const Trace& trace, const rows::Stack& stack, std::uint64_t times, Counts& counts) {
  for (std::size_t i = 0; i < stack.pcs.size(); ++i) {
    counts.frames += times;
    const auto* frames = frames_at(trace, stack, i);
    // Of a function that was inlined, the one that holds the code tells the source.
    const rows::Frame* frame = frames == nullptr ? nullptr : &frames->back();
    const bool named = frame != nullptr && !frame->function.empty();
    counts.by_source[named ? frame->source : ""] += times;
    if (frame != nullptr && is_jit(*frame)) {
      counts.jit += times;
      counts.jit_named += named ? times : 0;
    }
  }
}

std::string percent(std::uint64_t part, std::uint64_t all) {
  return percent_words(static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace

std::vector<CoverageLine> name_sources(const Trace& trace) {
  std::map<std::uint64_t, std::uint64_t> samples;  // by user stack
  for (const rows::Sample& s : trace.samples) ++samples[s.ustack];
  Counts counts;
  for (const auto& [hash, times] : samples) {
    const auto stack = trace.stacks.find(hash);
    if (hash != 0 && stack != trace.stacks.end()) count(trace, stack->second, times, counts);
  }
  if (counts.frames == 0) return {};
  std::vector<std::pair<std::string, std::uint64_t>> order(counts.by_source.begin(),
                                                           counts.by_source.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [source, n] : order) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", source.empty() ? "none" : source,
                        percent(n, counts.frames));
  }
  std::vector<CoverageLine> lines;
  lines.push_back({CoverageLine::Level::kInfo, "names",
                   fmt::format("of the user frames in samples by source: {}", text)});
  if (counts.jit_named < counts.jit) {
    lines.push_back({CoverageLine::Level::kInfo, "names of compiled code",
                     fmt::format("{} of the frames in code of a JIT compiler have a name",
                                 percent(counts.jit_named, counts.jit))});
  }
  return lines;
}

}  // namespace srvprof
