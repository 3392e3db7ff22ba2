#include "symbolize/symbolizer.h"

#include "target/open.h"

namespace srvprof {
namespace {

constexpr Duration kRefreshAfter = std::chrono::milliseconds(250);

// What is left when no source knows the address.
ResolvedFrame unknown_frame(const Question& question) {
  ResolvedFrame frame;
  frame.source = kNoSource;
  frame.module_offset = question.pc;
  if (question.kernel) {
    frame.module = "[kernel]";
  } else if (question.mapping == nullptr) {
    frame.module = "[unknown]";
  } else {
    const MemoryMapping& m = *question.mapping;
    frame.module = m.path.empty() ? "[anon]" : m.path;
    frame.module_offset = file_offset(m, question.pc);
    if (m.kind != MappingKind::kFile) frame.module_offset = question.pc - m.start;
  }
  return frame;
}

}  // namespace

Result<Symbolizer> Symbolizer::open(const ProcFs& fs, pid_t pid,
                                    std::shared_ptr<ModuleCache> modules) {
  auto state = std::make_unique<State>();
  TargetView& target = state->target;
  target.fs = fs;
  target.process = TRY(read_process(fs, pid));
  target.maps = TRY(read_maps(fs, pid));
  target.modules = modules != nullptr ? std::move(modules) : std::make_shared<ModuleCache>();
  if (auto root = open_root(fs, pid); root.ok()) target.root = std::move(*root);
  state->last_refresh = MonotonicClock::now();
  for (const auto& entry : symbol_sources()) state->sources.push_back(entry.make(target));
  return Symbolizer(std::move(state));
}

Status Symbolizer::refresh_mappings() {
  TargetView& target = state_->target;
  state_->last_refresh = MonotonicClock::now();
  auto maps = TRY(read_maps(target.fs, target.process.pid));
  // A process that is ending has no mappings left, but its samples are still to be resolved.
  if (maps.empty()) {
    return Error{
        "reading the mappings of process " + std::to_string(target.process.pid) + ": it has ended",
        "", ErrorKind::kNoTarget};
  }
  target.maps = std::move(maps);
  for (const auto& source : state_->sources) source->refresh();
  return {};
}

std::vector<ResolvedFrame> Symbolizer::resolve(std::uint64_t pc, bool kernel,
                                               std::uint64_t hint) {
  Question question{pc, kernel, nullptr, hint};
  if (!kernel) {
    question.mapping = find_mapping(state_->target.maps, pc);
    const Duration age = MonotonicClock::now() - state_->last_refresh;
    // Runtimes reserve room for code that they make executable as they need it.
    const bool known = question.mapping != nullptr && question.mapping->exec;
    if (!known && age >= kRefreshAfter && refresh_mappings().ok()) {
      question.mapping = find_mapping(state_->target.maps, pc);
    }
  }
  std::vector<ResolvedFrame> frames;
  for (const auto& source : state_->sources) {
    if (source->resolve(question, frames)) return frames;
  }
  frames.push_back(unknown_frame(question));
  return frames;
}

void Symbolizer::learn(std::uint64_t hint) {
  for (const auto& source : state_->sources) source->learn(hint);
}

void Symbolizer::forget() {
  for (const auto& source : state_->sources) source->forget();
}

std::string Symbolizer::build_id(const MemoryMapping& mapping) const {
  if (mapping.kind != MappingKind::kFile) return "";
  const TargetView& target = state_->target;
  auto fd = open_mapped_file(target.fs, target.process.pid, target.root, mapping);
  if (!fd.ok()) return "";
  const auto module = target.modules->open(std::move(*fd), mapping.path, target.root);
  return module.ok() ? (*module)->elf.build_id : "";
}

std::vector<std::string> Symbolizer::notes() const {
  std::vector<std::string> all;
  for (const auto& source : state_->sources) {
    for (auto& note : source->notes()) all.push_back(std::move(note));
  }
  return all;
}

}  // namespace srvprof
