#include "collect/runtime_probes.h"

#include <sys/stat.h>

namespace srvprof {
namespace {

constexpr int kMostLooks = 4;
constexpr std::size_t kMostPrograms = 64;  // whose probe points are remembered

}  // namespace

RuntimeProbes::ProgramFile RuntimeProbes::program_of(pid_t pid) const {
  struct stat st {};
  if (::stat(pid_path(fs_, pid, "exe").c_str(), &st) != 0) return {};
  return {st.st_dev, st.st_ino};
}

void RuntimeProbes::attach(const SpanHooks& hooks, const ProcessInfo& process, RecordingWriter& writer) {
  const ProgramFile program = program_of(process.pid);
  ProgramFile& probed = probed_[process.pid];
  if (probed == program && program != ProgramFile{}) return;
  probed = program;
  auto known = plans_.find(program);
  if (known == plans_.end()) {
    auto plans = plan_spans(fs_, process, wishes_);
    if (!plans.ok()) {
      writer.add(rows::Capability{"gc", false, plans.error().what});
      return;
    }
    if (plans->empty()) {
      probed = {};
      if (++looks_[process.pid] <= kMostLooks) unprobed_.push_back(process.pid);
      return;
    }
    if (plans_.size() >= kMostPrograms) plans_.clear();
    known = plans_.insert_or_assign(program, std::move(*plans)).first;
  }
  probes_.attach(hooks, static_cast<std::uint32_t>(process.pid), known->second);
}

void RuntimeProbes::look_again(const SpanHooks& hooks, RecordingWriter& writer) {
  for (const pid_t pid : std::exchange(unprobed_, {})) {
    if (const auto process = read_process(fs_, pid)) attach(hooks, *process, writer);
  }
}

}  // namespace srvprof
