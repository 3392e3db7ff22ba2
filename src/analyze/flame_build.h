// Collects weighted stacks into FlameData.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analyze/report.h"
#include "trace/model.h"

namespace srvprof {

class FlameBuilder {
 public:
  explicit FlameBuilder(const Trace& trace) : trace_(trace) {}

  // Adds to the stack [comm of the thread, user frames, kernel frames, leaf]; an empty leaf is no
  // frame. baseline: the weight belongs to the body of a differential graph.
  void add(std::string_view comm, std::uint64_t ustack, std::uint64_t kstack, std::string_view leaf,
           double weight, bool baseline);

  // Moves labels and stacks into `out`.
  void finish(FlameData& out);

 private:
  using Frames = std::vector<std::uint32_t>;
  std::uint32_t label(std::string_view text);
  const Frames& frames_of(std::uint64_t hash);

  const Trace& trace_;
  std::vector<std::string> labels_;
  std::unordered_map<std::string, std::uint32_t> index_;
  std::unordered_map<std::uint64_t, Frames> memo_;  // by stack hash
  std::map<Frames, FlameStack> stacks_;
};

}  // namespace srvprof
