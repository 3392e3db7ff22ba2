#include "render/flame_layout.h"

#include <algorithm>
#include <map>

namespace srvprof {
namespace {

struct Node {
  std::uint32_t label = 0;
  double weight = 0, baseline = 0;
  std::map<std::uint32_t, std::uint32_t> children;  // label -> node
};

std::vector<Node> merge_stacks(const FlameData& flame) {
  std::vector<Node> nodes(1);
  for (const FlameStack& stack : flame.stacks) {
    if (stack.weight <= 0 && stack.baseline <= 0) continue;
    std::uint32_t at = 0;
    nodes[0].weight += stack.weight;
    nodes[0].baseline += stack.baseline;
    for (std::uint32_t frame : stack.frames) {
      const std::uint32_t label = frame + 1;
      const auto [child, added] =
          nodes[at].children.try_emplace(label, static_cast<std::uint32_t>(nodes.size()));
      at = child->second;
      if (added) nodes.push_back({label, 0, 0, {}});
      nodes[at].weight += stack.weight;
      nodes[at].baseline += stack.baseline;
    }
  }
  return nodes;
}

}  // namespace

FlameLayout lay_out(const FlameData& flame, double least_share) {
  const std::vector<Node> nodes = merge_stacks(flame);
  FlameLayout out;
  out.total = nodes[0].weight;
  out.baseline_total = nodes[0].baseline;
  if (out.total <= 0) return out;
  const double least = out.total * least_share;

  struct Pending {
    std::uint32_t node, depth;
    double start;
  };
  std::vector<Pending> pending = {{0, 0, 0}};  // a stack: depth first, the leftmost child next
  while (!pending.empty()) {
    const Pending at = pending.back();
    pending.pop_back();
    const Node& node = nodes[at.node];
    out.boxes.push_back({node.label, at.depth, at.start, node.weight, node.baseline});
    out.depth = std::max(out.depth, at.depth);
    std::vector<std::uint32_t> children;
    for (const auto& [label, child] : node.children) children.push_back(child);
    std::stable_sort(children.begin(), children.end(), [&](std::uint32_t a, std::uint32_t b) {
      return flame.labels[nodes[a].label - 1] < flame.labels[nodes[b].label - 1];
    });
    double start = at.start;
    const std::size_t first = pending.size();
    for (std::uint32_t child : children) {
      if (nodes[child].weight >= least && nodes[child].weight > 0) {
        pending.push_back({child, at.depth + 1, start});
      } else if (nodes[child].weight > 0) {
        ++out.left_out;
      }
      start += nodes[child].weight;
    }
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());
  }
  return out;
}

}  // namespace srvprof
