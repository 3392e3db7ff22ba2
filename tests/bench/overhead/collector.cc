#include "collector.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "collect/facts.h"
#include "config.h"
#include "runtime/runtime.h"
#include "target/process.h"
#include "target/sockets.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

// As in session.cc.
constexpr Duration kRound = 1s;
constexpr Duration kStatisticsWindow = 40ms;
constexpr int kPollMs = 5;
constexpr std::size_t kNamesARound = 4000;

Result<ProbeConfig> probe_config(const ProcFs& fs, const ProcessInfo& target, bool full) {
  ProbeConfig config;
  config.pids = {static_cast<std::uint32_t>(target.pid)};
  const Listeners listeners = TRY(read_listeners(fs, target.pid));
  config.ports = listening_ports(listeners);
  config.netns = static_cast<std::uint32_t>(target.net_ns);
  const auto runtimes = TRY(detect_runtimes(fs, target));
  config.go = std::any_of(runtimes.begin(), runtimes.end(),
                          [](const DetectedRuntime& r) { return r.name == "go"; });
  config.full = config.irq = full;
  config.cgroup_v1 = cpu_is_v1(target);
  config.ring_bytes = ring_size(0);
  return config;
}

// A file without a name: gone with the process, however it ends.
Result<Fd> scratch_file(const std::string& directory) {
  std::string path = directory + "/overhead_bench.XXXXXX";
  Fd fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!fd.valid()) return errno_error("creating " + path, errno);
  ::unlink(path.c_str());
  return fd;
}

std::uint64_t own_cpu_ns() {
  rusage u{};
  ::getrusage(RUSAGE_SELF, &u);
  const auto us = [](const timeval& t) { return t.tv_sec * 1'000'000 + t.tv_usec; };
  return static_cast<std::uint64_t>(us(u.ru_utime) + us(u.ru_stime)) * 1000;
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

Status Collector::load() {
  const ProcessInfo target = TRY(read_process(fs_, options_.target));
  ProbeConfig config = TRY(probe_config(fs_, target, options_.full));
  config.capture = options_.capture;
  stacks_.add(target.pid, config.go ? "go" : "");
  config.stacks = &stacks_;
  probes_ = TRY(Probes::load(config));
  Fd file = TRY(scratch_file(options_.directory));
  writer_.emplace(TRY(RecordingWriter::adopt(std::move(file), "the recording")));
  snapshots_.emplace(fs_, target);
  frames_.emplace(fs_);
  hooks_.request = [this](const rows::Request& r) {
    ++requests_;
    if (known(r.t_write)) latencies_.add(r.t_write_last - r.t_arrive);
  };
  hooks_.conn = [this](const rows::Conn& c) { snapshots_->want_peer(c); };
  hooks_.task = [this](const rows::Task& t) {
    snapshots_->name_process(t.pid, (t.flags & SP_TASK_TARGET) != 0, *writer_);
  };
  hooks_.stack = [this](const rows::Stack& s) { frames_->add(s); };
  return {};
}

Status Collector::on() {
  TRY(probes_->attach());
  attached_ = true;
  TRY(probes_->activate());
  on_ = true;
  last_turn_ = MonotonicClock::now();
  return {};
}

Status Collector::off() {
  if (statistics_on_ && !statistics_held_) {
    snapshots_->add_bpf_time(probes_->end_statistics(), MonotonicClock::now() - statistics_since_);
    statistics_on_ = false;
  }
  probes_->detach();
  on_ = attached_ = false;
  drain();
  return {};
}

Status Collector::obey(char command) {
  if (!probes_) return Error{"the probes are not loaded", "", {}};
  switch (command) {
    case 'A': return on();
    case 'D': return off();
    case 'C':
      TRY(probes_->attach());
      attached_ = true;
      return {};
    case 'G':
      TRY(probes_->activate());
      on_ = true;
      last_turn_ = MonotonicClock::now();
      return {};
    case 'S':
      statistics_held_ = statistics_on_ = probes_->begin_statistics();
      if (!statistics_on_) return errno_error("switching BPF statistics on", errno);
      return {};
    case 's':
      (void)probes_->end_statistics();
      statistics_held_ = statistics_on_ = false;
      return {};
    case 'R':
      if (on_) drain();
      publish();
      return {};
  }
  return Error{fmt::format("unknown command {:#x}", static_cast<unsigned>(command)), "", {}};
}

int Collector::poll_ms() const { return on_ ? kPollMs : -1; }

void Collector::govern(double fill) {
  std::uint64_t lost = 0;
  const sp_shared& shared = probes_->shared();
  for (int reason : {SP_LOSS_RING_REQUEST, SP_LOSS_RING_SCHED, SP_LOSS_MARK}) {
    lost += __atomic_load_n(&shared.lost[reason], __ATOMIC_RELAXED);
  }
  if (const auto one_in = governor_.update(MonotonicClock::now(), fill, lost)) {
    __atomic_store_n(&probes_->shared().one_in, *one_in, __ATOMIC_RELAXED);
    one_in_max_ = std::max(one_in_max_, *one_in);
  }
}

void Collector::drain() {
  const DecodeOptions options;
  const Probes::Sink sink = [&](std::span<const std::byte> record) {
    ++records_;
    if (!decode(record, options, hooks_, *writer_)) ++undecodable_;
  };
  const std::size_t taken = probes_->consume(sink);
  counters_.answered.store(load_.answered.load());
  ring_total_ += taken;
  ring_peak_ = std::max(ring_peak_, taken);
  govern(static_cast<double>(taken) / static_cast<double>(probes_->ring_bytes()));
  std::uint64_t lost = 0;
  for (int reason = 0; reason < SP_LOSS_REASONS; ++reason) {
    if (reason == SP_LOSS_SWITCH) continue;  // reckoned, not lost: toggling makes many of them
    lost += __atomic_load_n(&probes_->shared().lost[reason], __ATOMIC_RELAXED);
  }
  counters_.lost.store(lost);
  counters_.ring_bytes.store(ring_total_);
  counters_.records.store(records_);
  counters_.requests.store(requests_);
  counters_.undecodable.store(undecodable_);
  counters_.one_in_max.store(one_in_max_);
}

// The session's 40 ms of each second; the clock stands still while the tracer is off.
void Collector::statistics(Time now) {
  if (statistics_held_) return;
  if (statistics_on_ && now - statistics_since_ >= kStatisticsWindow) {
    snapshots_->add_bpf_time(probes_->end_statistics(), now - statistics_since_);
    statistics_on_ = false;
  } else if (!statistics_on_ && since_statistics_ >= kRound) {
    since_statistics_ = {};
    statistics_since_ = now;
    statistics_on_ = probes_->begin_statistics();
  }
}

void Collector::turn() {
  drain();
  const Time now = MonotonicClock::now();
  since_statistics_ += now - last_turn_;
  since_round_ += now - last_turn_;
  last_turn_ = now;
  statistics(now);
  if (on_) stacks_.refresh(now, probes_->shared());
  if (since_round_ < kRound) return;
  since_round_ = {};
  snapshots_->take(*probes_, ring_peak_, ring_total_, *writer_);
  ring_peak_ = 0;
  frames_->resolve(kNamesARound, *writer_);
  (void)writer_->flush();
  latencies_.clear();
}

void Collector::publish() {
  counters_.cpu_ns.store(own_cpu_ns());
  counters_.rss_bytes.store(resident_bytes());
  counters_.file_bytes.store(writer_->bytes_written());
  std::uint32_t n = 0;
  for (const auto& [name, time] : probes_->run_times()) {
    if (n == counters_.program.size()) break;
    ProgramTime& p = counters_.program[n++];
    p.name.fill(0);
    std::memcpy(p.name.data(), name.data(), std::min(name.size(), p.name.size() - 1));
    p.run_ns = time.run_ns;
    p.runs = time.runs;
  }
  counters_.programs = n;
}

}  // namespace srvprof
