// Names for the addresses of stacks, found while the target still lives.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "recording/writer.h"
#include "symbolize/symbolizer.h"
#include "target/proc_fs.h"

namespace srvprof {

class FrameNamer {
 public:
  explicit FrameNamer(ProcFs fs) : fs_(std::move(fs)) {}

  // Remembers the frames of a stack that are not named yet.
  void add(const rows::Stack& stack);
  // Reads what at most `limit` new hints mean. Objects of a runtime move, so this is called as soon
  // as stacks have come, long before resolve().
  void learn(std::size_t limit);
  // A garbage collector has moved objects of a process (V8: at the end of a mark-compact).
  void forget_moved(std::uint32_t pid);
  // Names at most `limit` of them and writes Frame rows. Code that a runtime made and nobody knows is left for
  // resolve_rest(): the runtime may list it later.
  void resolve(std::size_t limit, RecordingWriter& writer);
  // Names all that is left, after the mappings were read again.
  void resolve_rest(RecordingWriter& writer);
  // Writes the mappings of every process that had a stack.
  void write_mappings(RecordingWriter& writer);
  // Limits of the sources in use ("kernel symbols not readable ..."), as Capability rows.
  void write_capabilities(RecordingWriter& writer);

 private:
  struct Key {
    std::uint32_t pid = 0;  // 0 = kernel
    std::uint64_t pc = 0, hint = 0;
    auto operator<=>(const Key&) const = default;
  };
  struct Waiting {
    Key key;
    bool is_return = false;  // a return address: the call is before it
  };
  Symbolizer* symbolizer(std::uint32_t pid);
  void name(const Waiting& waiting, bool last, RecordingWriter& writer);
  void write(const Key& key, std::vector<ResolvedFrame> frames, RecordingWriter& writer);

  static constexpr std::size_t kMaxAddresses = 1u << 20;
  ProcFs fs_;
  std::set<Key> seen_;
  std::set<std::pair<std::uint32_t, std::uint64_t>> hints_;  // pid, hint: learnt or about to be
  std::vector<Waiting> waiting_, left_;
  std::vector<std::pair<std::uint32_t, std::uint64_t>> new_hints_;
  std::shared_ptr<ModuleCache> modules_ = std::make_shared<ModuleCache>();
  std::map<std::uint32_t, Symbolizer> symbolizers_;
  std::map<std::uint32_t, std::string> failed_;
};

}  // namespace srvprof
