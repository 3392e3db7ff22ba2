#include "collect/frames.h"

#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

namespace srvprof {

void FrameNamer::add(const rows::Stack& stack) {
  for (std::size_t i = 0; i < stack.pcs.size(); ++i) {
    if (seen_.size() >= kMaxAddresses) return;
    const Address address{stack.pid, stack.pcs[i]};
    if (stack.pcs[i] == 0 || !seen_.insert(address).second) continue;
    waiting_.push_back({address, i != 0});
  }
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

void FrameNamer::resolve(std::size_t limit, RecordingWriter& writer) {
  const std::size_t n = std::min(limit, waiting_.size());
  for (std::size_t k = 0; k < n; ++k) {
    const auto& [address, is_return] = waiting_[k];
    Symbolizer* s = symbolizer(address.first);
    if (s == nullptr) continue;
    const std::uint64_t pc = address.second - (is_return ? 1 : 0);
    std::uint32_t depth = 0;
    for (ResolvedFrame& f : s->resolve(pc, address.first == 0)) {
      rows::Frame row;
      row.pid = address.first;
      row.pc = address.second;
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
