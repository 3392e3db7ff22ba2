// Names for the addresses of stacks, found while the target still lives.
#pragma once

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

  // Remembers the addresses of a stack that are not named yet.
  void add(const rows::Stack& stack);
  // Names at most `limit` of them and writes Frame rows.
  void resolve(std::size_t limit, RecordingWriter& writer);
  // Writes the mappings of every process that had a stack.
  void write_mappings(RecordingWriter& writer);
  // Limits of the sources in use ("kernel symbols not readable ..."), as Capability rows.
  void write_capabilities(RecordingWriter& writer);

 private:
  using Address = std::pair<std::uint32_t, std::uint64_t>;  // pid (0 = kernel), pc
  Symbolizer* symbolizer(std::uint32_t pid);

  static constexpr std::size_t kMaxAddresses = 1u << 20;
  ProcFs fs_;
  std::set<Address> seen_;
  std::vector<std::pair<Address, bool>> waiting_;  // true: a return address
  std::shared_ptr<ModuleCache> modules_ = std::make_shared<ModuleCache>();
  std::map<std::uint32_t, Symbolizer> symbolizers_;
  std::map<std::uint32_t, std::string> failed_;
};

}  // namespace srvprof
