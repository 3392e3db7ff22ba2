#include "collect/frames.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

namespace srvprof {
namespace {

// In memory that is of no file, and of no function that is known.
bool is_unlisted(const std::vector<ResolvedFrame>& frames) {
  if (frames.size() != 1 || !frames[0].function.empty()) return false;
  const std::string& module = frames[0].module;
  return module.starts_with("[anon") || module.starts_with("/memfd:") || module == "[unknown]";
}

}  // namespace

void FrameNamer::add(const rows::Stack& stack) {
  for (std::size_t i = 0; i < stack.pcs.size(); ++i) {
    if (seen_.size() >= kMaxAddresses) return;
    const Key key{stack.pid, stack.pcs[i], i < stack.hints.size() ? stack.hints[i] : 0};
    if (key.pc == 0 || !seen_.insert(key).second) continue;
    waiting_.push_back({key, i != 0});
    if (key.hint != 0 && hints_.emplace(key.pid, key.hint).second) {
      new_hints_.emplace_back(key.pid, key.hint);
    }
  }
}

void FrameNamer::learn(std::size_t limit) {
  const std::size_t n = std::min(limit, new_hints_.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (Symbolizer* s = symbolizer(new_hints_[i].first)) s->learn(new_hints_[i].second);
  }
  new_hints_.erase(new_hints_.begin(), new_hints_.begin() + static_cast<std::ptrdiff_t>(n));
}

void FrameNamer::forget_moved(std::uint32_t pid) {
  if (const auto it = symbolizers_.find(pid); it != symbolizers_.end()) it->second.forget();
  std::erase_if(hints_, [pid](const auto& known) { return known.first == pid; });
}

Symbolizer* FrameNamer::symbolizer(std::uint32_t pid) {
  // The kernel's names come through any process's symbolizer: our own is always readable.
  const auto key = pid == 0 ? static_cast<std::uint32_t>(::getpid()) : pid;
  if (auto it = symbolizers_.find(key); it != symbolizers_.end()) return &it->second;
  if (failed_.contains(key)) return nullptr;
  auto opened = Symbolizer::open(fs_, static_cast<pid_t>(key), modules_);
  if (!opened) {
    failed_[key] = opened.error().what;
    return nullptr;
  }
  return &symbolizers_.emplace(key, std::move(*opened)).first->second;
}

void FrameNamer::write(const Key& key, std::vector<ResolvedFrame> frames, RecordingWriter& writer) {
  const bool by_hint = std::any_of(frames.begin(), frames.end(),
                                   [](const ResolvedFrame& f) { return f.by_hint; });
  // Without meaning for any source, the hint is dropped: one row an address is enough.
  if (key.hint != 0 && !by_hint && !seen_.insert({key.pid, key.pc, 0}).second) return;
  std::uint32_t depth = 0;
  for (ResolvedFrame& f : frames) {
    rows::Frame row;
    row.pid = key.pid;
    row.pc = key.pc;
    row.hint = by_hint ? key.hint : 0;
    row.depth = depth++;
    row.line = f.line;
    row.module_offset = f.module_offset;
    row.function = std::move(f.function);
    row.module = std::move(f.module);
    row.file = std::move(f.file);
    row.source = std::string(f.source);
    writer.add(row);
  }
}

void FrameNamer::name(const Waiting& waiting, bool last, RecordingWriter& writer) {
  const Key& key = waiting.key;
  Symbolizer* s = symbolizer(key.pid);
  if (s == nullptr) return;
  auto frames = s->resolve(key.pc - (waiting.is_return ? 1 : 0), key.pid == 0, key.hint);
  if (!last && key.pid != 0 && is_unlisted(frames)) {
    left_.push_back(waiting);
  } else {
    write(key, std::move(frames), writer);
  }
}

void FrameNamer::resolve_rest(RecordingWriter& writer) {
  for (auto& [pid, symbolizer] : symbolizers_) (void)symbolizer.refresh_mappings();  // it may have ended
  resolve(waiting_.size(), writer);
  for (const Waiting& w : left_) name(w, true, writer);
  left_.clear();
}

void FrameNamer::resolve(std::size_t limit, RecordingWriter& writer) {
  const std::size_t n = std::min(limit, waiting_.size());
  for (std::size_t k = 0; k < n; ++k) name(waiting_[k], false, writer);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
}

void FrameNamer::write_mappings(RecordingWriter& writer) {
  for (auto& [pid, symbolizer] : symbolizers_) {
    if (pid == static_cast<std::uint32_t>(::getpid())) continue;
    for (const MemoryMapping& m : symbolizer.mappings()) {
      if (m.exec) {
        writer.add(rows::Mapping{pid, m.start, m.end, m.offset, m.path, symbolizer.build_id(m)});
      }
    }
  }
}

void FrameNamer::write_capabilities(RecordingWriter& writer) {
  for (const auto& [pid, why] : failed_) {
    writer.add(rows::Capability{fmt::format("symbols.{}", pid), false, why});
  }
  for (auto& [pid, symbolizer] : symbolizers_) {
    for (const std::string& note : symbolizer.notes()) {
      writer.add(rows::Capability{fmt::format("symbols.{}", pid), false, note});
    }
  }
  if (seen_.size() >= kMaxAddresses) {
    writer.add(rows::Capability{"symbols", false, "too many different addresses: some have no name"});
  }
}

}  // namespace srvprof
