#include "analyze/flame_build.h"

#include "analyze/frames.h"

namespace srvprof {

std::uint32_t FlameBuilder::label(std::string_view text) {
  const auto [at, is_new] =
      index_.try_emplace(std::string(text), static_cast<std::uint32_t>(labels_.size()));
  if (is_new) labels_.emplace_back(text);
  return at->second;
}

const FlameBuilder::Frames& FlameBuilder::frames_of(std::uint64_t hash) {
  const auto [at, is_new] = memo_.try_emplace(hash);
  if (is_new) {
    for (const std::string& name : frame_names(trace_, hash)) at->second.push_back(label(name));
  }
  return at->second;
}

void FlameBuilder::add(std::string_view comm, std::uint64_t ustack, std::uint64_t kstack,
                       std::string_view leaf, double weight, bool baseline) {
  if (weight <= 0) return;
  Frames frames;
  frames.push_back(label(comm.empty() ? "[unnamed thread]" : comm));
  for (const std::uint64_t hash : {ustack, kstack}) {
    const Frames& part = frames_of(hash);
    frames.insert(frames.end(), part.begin(), part.end());
  }
  if (!leaf.empty()) frames.push_back(label(leaf));
  FlameStack& stack = stacks_[frames];
  (baseline ? stack.baseline : stack.weight) += weight;
}

void FlameBuilder::finish(FlameData& out) {
  for (auto& [frames, stack] : stacks_) {
    stack.frames = frames;
    out.stacks.push_back(std::move(stack));
  }
  out.labels = std::move(labels_);
  stacks_.clear();
}

}  // namespace srvprof
