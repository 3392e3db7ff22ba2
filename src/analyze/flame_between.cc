// A differential flame graph of two recordings.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "analyze/phases.h"
#include "analyze/report.h"

namespace srvprof {
namespace {

using Frames = std::vector<std::uint32_t>;

// Requests that the graph of `options` is about: what sums over time are divided by.
double requests_of(const Trace& trace, const FlameOptions& options) {
  const std::vector<LoadPhase> phases = load_phases(trace);
  double n = 0;
  for (const Request& r : trace.requests) {
    if (!options.phase.empty() && phases[phase_at(phases, r.t_arrive)].name != options.phase) {
      continue;
    }
    n += options.route.empty() || trace.routes[r.route.value] == options.route;
  }
  return std::max(n, 1.0);
}

// Labels of both graphs under one numbering.
class Merger {
 public:
  void add(const FlameData& from, double scale, bool baseline) {
    std::vector<std::uint32_t> renumbered;
    for (const std::string& label : from.labels) renumbered.push_back(number(label));
    for (const FlameStack& stack : from.stacks) {
      Frames frames;
      for (const std::uint32_t f : stack.frames) frames.push_back(renumbered[f]);
      FlameStack& sum = stacks_[frames];
      (baseline ? sum.baseline : sum.weight) += stack.weight * scale;
    }
  }
  void finish(FlameData& out) {
    for (auto& [frames, stack] : stacks_) {
      stack.frames = frames;
      out.stacks.push_back(std::move(stack));
    }
    out.labels = std::move(labels_);
  }

 private:
  std::uint32_t number(const std::string& label) {
    const auto [at, is_new] = index_.try_emplace(label, static_cast<std::uint32_t>(labels_.size()));
    if (is_new) labels_.push_back(label);
    return at->second;
  }

  std::vector<std::string> labels_;
  std::map<std::string, std::uint32_t> index_;
  std::map<Frames, FlameStack> stacks_;
};

}  // namespace

FlameData flame_between(const Trace& trace, const Trace& baseline, const FlameOptions& options_in) {
  FlameOptions options = options_in;
  options.diff_body = false;
  const FlameData now = flame(trace, options), before = flame(baseline, options);
  FlameData out;
  out.differential = true;
  out.title = now.title + ", against another recording";
  out.subtitle = now.subtitle;
  const bool per_request = options.kind == FlameKind::kWall || options.tail_percentile > 0;
  const double thousand = options.kind == FlameKind::kOnCpu ? 1000 : 1;
  out.unit = options.kind == FlameKind::kOnCpu ? "samples" : "ms";
  if (!per_request) {
    out.subtitle +=
        options.kind == FlameKind::kOnCpu ? ", samples per 1,000 requests" : ", ms a request";
  }
  const auto scale = [&](const Trace& t) {
    return per_request ? 1.0 : thousand / requests_of(t, options);
  };
  Merger merger;
  merger.add(now, scale(trace), false);
  merger.add(before, scale(baseline), true);
  merger.finish(out);
  return out;
}

}  // namespace srvprof
