#include "collect/probe_sites.h"

#include <sys/stat.h>

#include <algorithm>

#include <fmt/format.h>

#include "target/memory.h"

namespace srvprof {
namespace {

constexpr std::size_t kInstruction = 5;  // what the kernel may replace: one byte, or a nop of five
constexpr std::size_t kSemaphore = 2;
constexpr std::size_t kMaxSites = 4096;

}  // namespace

// One file may be mapped several times: each mapping has the probe.
void ProbeSites::remember_at(pid_t pid, const struct ::stat& file, std::uint64_t offset, std::size_t length,
                             bool semaphore) {
  auto it = maps_.find(pid);
  if (it == maps_.end()) {
    auto maps = read_maps(fs_, pid);
    if (!maps.ok()) return;
    it = maps_.emplace(pid, std::move(*maps)).first;
  }
  for (const MemoryMapping& m : it->second) {
    const bool holds = m.inode == file.st_ino && offset >= m.offset && offset - m.offset < m.end - m.start;
    if (!holds || (!semaphore && !m.exec) || (semaphore && !m.write) || sites_.size() >= kMaxSites) continue;
    const std::uint64_t address = m.start + (offset - m.offset);
    // Two probes at one place: by now it has the first one.
    const bool known = std::any_of(sites_.begin(), sites_.end(), [&](const Site& s) {
      return s.pid == pid && s.address == address;
    });
    if (known) continue;
    if (auto bytes = read_memory(pid, address, length); bytes.ok()) {
      sites_.push_back({pid, address, std::move(*bytes), semaphore});
    }
  }
}

void ProbeSites::remember(pid_t pid, const Fd& file, std::uint64_t offset, std::uint64_t semaphore) {
  struct stat st {};
  if (::fstat(file.get(), &st) != 0) return;
  remember_at(pid, st, offset, kInstruction, false);
  if (semaphore != 0) remember_at(pid, st, semaphore, kSemaphore, true);
}

void ProbeSites::write_verdict(RecordingWriter& writer) const {
  if (sites_.empty()) return;
  std::size_t changed = 0, semaphores = 0;
  for (const Site& site : sites_) {
    const auto now = read_memory(site.pid, site.address, site.bytes.size());
    changed += now.ok() && *now != site.bytes;
    semaphores += site.semaphore;
  }
  const std::size_t instructions = sites_.size() - semaphores;
  writer.add(rows::Capability{
      "probes.removed", changed == 0,
      changed == 0 ? fmt::format("after detach {} probed instructions and {} semaphores are as they were before",
                                 instructions, semaphores)
                   : fmt::format("after detach {} of {} probed places are not as they were before", changed,
                                 sites_.size())});
}

}  // namespace srvprof
