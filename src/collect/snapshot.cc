#include "collect/snapshot.h"

#include <arpa/inet.h>

#include <algorithm>

#include <fmt/format.h>

#include "base/endpoint.h"
#include "collect/skeleton.h"
#include "target/sockets.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxWantedPeers = 4096;
constexpr std::size_t kMaxArgvBytes = 4096;

// Texts of enum sp_loss, in its order.
constexpr const char* kLossNames[] = {
    "ring full: requests",      "ring full: scheduling",   "ring full: other records",
    "no memory for a socket",   "no memory for a thread",  "stack not readable",
    "accept queue not tracked", "ring full: socket marks",
    "switch-in not seen",       "runtime spans",          "the load generator's side",
    "return probes missed",
};
static_assert(std::size(kLossNames) == SP_LOSS_REASONS);

// Texts of enum sp_unmeasured, in its order.
constexpr const char* kUnmeasuredNames[] = {
    "unmeasured.unix",  "unmeasured.udp",            "unmeasured.other_family", "unmeasured.tls",
    "unmeasured.http2", "unmeasured.other_protocol", "unmeasured.upgraded",
};
static_assert(std::size(kUnmeasuredNames) == SP_UNM_KINDS);

// The address texts are our own (decode.cc), so they parse.
Endpoint endpoint_of(const std::string& address, std::uint32_t port) {
  std::uint8_t bytes[16] = {};
  Endpoint e;
  if (::inet_pton(AF_INET, address.c_str(), bytes) == 1) {
    e.address = ipv4_address(bytes);
  } else if (::inet_pton(AF_INET6, address.c_str(), bytes) == 1) {
    e.address = ipv6_address(bytes);
  }
  e.port = static_cast<std::uint16_t>(port);
  return e;
}

std::uint64_t ns(Duration d) { return static_cast<std::uint64_t>(std::max<std::int64_t>(d.count(), 0)); }

}  // namespace

Snapshots::Snapshots(ProcFs fs, const ProcessInfo& target)
    : fs_(std::move(fs)), target_(target), lost_(SP_LOSS_REASONS, 0) {
  if (auto cgroup = read_cpu_cgroup(fs_, target_.cgroups)) cgroup_ = std::move(*cgroup);
}

void Snapshots::take(Probes& probes, std::size_t ring_peak, std::uint64_t ring_total,
                     RecordingWriter& writer) {
  const Time now = MonotonicClock::now();
  writer.add(rows::Clock{now, realtime_ns()});
  cpu_use(now, writer);
  quota(now, writer);
  losses(now, probes.shared(), writer);
  skipped(now, probes, writer);
  counters(now, probes.shared(), writer);
  own_cost(now, ring_peak, ring_total, probes.ring_bytes(), writer);
}

void Snapshots::cpu_use(Time now, RecordingWriter& writer) {
  auto all = read_process_cpu(fs_);
  if (!all) return;
  const std::uint64_t interval = known(last_use_) ? ns(now - last_use_) : 0;
  std::uint64_t small = 0;
  std::unordered_map<std::uint32_t, Use> next;
  for (const ProcessCpu& p : *all) {
    const auto pid = static_cast<std::uint32_t>(p.pid);
    Use use{p.start_ticks, p.cpu, {}};
    const auto before = use_.find(pid);
    const bool same = before != use_.end() && before->second.start_ticks == p.start_ticks;
    const Duration cpu = same ? p.cpu - before->second.cpu : (interval != 0 ? p.cpu : Duration{});
    if (same) use.runq = before->second.runq;
    if (targets_.contains(pid)) target_cpu_ += cpu;
    if (ns(cpu) * 200 >= interval || p.pid == target_.pid) {  // at least 0.5 % of a CPU
      std::uint64_t waited = 0;
      if (auto s = read_process_schedstat(fs_, p.pid)) {
        if (same && use.runq.count() != 0 && s->run_queue > use.runq) waited = ns(s->run_queue - use.runq);
        use.runq = s->run_queue;
      }
      if (interval != 0) {
        writer.add(rows::CpuUse{now, pid, p.comm, ns(cpu), waited, interval});
        name_process(pid, false, writer);
      }
    } else {
      small += ns(cpu);
    }
    next.emplace(pid, use);
  }
  if (interval != 0) writer.add(rows::CpuUse{now, 0, "(others)", small, 0, interval});
  bpf_reckoned_ += Duration(static_cast<std::int64_t>(bpf_load_ * static_cast<double>(interval)));
  use_ = std::move(next);
  last_use_ = now;
}

void Snapshots::quota(Time now, RecordingWriter& writer) {
  if (!cgroup_) return;
  const CpuCgroupLevel* level = limiting_level(*cgroup_);
  if (level == nullptr) level = &cgroup_->levels.front();
  rows::CgroupCpu row;
  row.t = now;
  row.cgroup = level->path;
  if (level->quota) {
    row.quota_ns = ns(level->quota->quota);
    row.period_ns = ns(level->quota->period);
  }
  if (auto t = read_cpu_throttling(*level); t && t->measured) {
    row.nr_periods = t->periods;
    row.nr_throttled = t->throttled_periods;
    row.throttled_ns = ns(t->throttled);
  }
  writer.add(row);
}

void Snapshots::losses(Time now, const sp_shared& shared, RecordingWriter& writer) {
  lost_total_ = 0;
  for (std::size_t i = 0; i < SP_LOSS_REASONS; ++i) {
    const std::uint64_t n = __atomic_load_n(&shared.lost[i], __ATOMIC_RELAXED);
    if (i == SP_LOSS_SWITCH) {  // repaired, so no loss: write_switches() tells of it
      unseen_switches_ = n;
      continue;
    }
    if (n > lost_[i]) writer.add(rows::Loss{last_loss_, now, kLossNames[i], n - lost_[i]});
    lost_[i] = n;
    if (i == SP_LOSS_RING_REQUEST || i == SP_LOSS_RING_SCHED || i == SP_LOSS_RING_OTHER ||
        i == SP_LOSS_MARK) {
      lost_total_ += n;
    }
  }
}

void Snapshots::begin(const Probes& probes) {
  skipped_ = probes.skipped();
  last_loss_ = MonotonicClock::now();
}

// The kernel does not tell whose the event was: it may have been another process's.
void Snapshots::skipped(Time now, const Probes& probes, RecordingWriter& writer) {
  for (const auto& [hook, n] : probes.skipped()) {
    std::uint64_t& before = skipped_[hook];
    if (n <= before) continue;
    writer.add(rows::Loss{last_loss_, now, "skipped by the kernel: " + hook, n - before});
    skipped_total_ += n - before;
    before = n;
  }
  last_loss_ = now;
}

void Snapshots::counters(Time now, const sp_shared& shared, RecordingWriter& writer) {
  if (auto drops = read_listen_drops(fs_, target_.pid)) {
    if (drops->overflows.found) {
      writer.add(rows::Counter{now, "tcp.listen_overflows", drops->overflows.value});
    }
    if (drops->drops.found) writer.add(rows::Counter{now, "tcp.listen_drops", drops->drops.value});
  }
  if (auto cpus = read_cpu_times(fs_)) {
    for (const CpuTimes& c : *cpus) {
      writer.add(rows::Counter{now, fmt::format("steal_ns.cpu{}", c.cpu), ns(c.steal)});
      writer.add(rows::Counter{now, fmt::format("idle_ns.cpu{}", c.cpu), ns(c.idle)});
    }
  }
  for (std::size_t i = 0; i < SP_UNM_KINDS; ++i) {
    if (shared.unmeasured[i] != 0) {
      writer.add(rows::Counter{now, kUnmeasuredNames[i], shared.unmeasured[i]});
    }
  }
  if (shared.clients_left_out != 0) {
    writer.add(rows::Counter{now, "clients_left_out", shared.clients_left_out});
  }
  if (shared.writes_without_request != 0) {
    writer.add(rows::Counter{now, "writes_without_request", shared.writes_without_request});
  }
}

void Snapshots::write_switches(RecordingWriter& writer) const {
  if (unseen_switches_ == 0) return;
  writer.add(rows::Capability{
      "sched.switch-in", true,
      fmt::format("{} switches to a thread of the target were not seen; when they were is reckoned "
                  "from the thread's own CPU time",
                  unseen_switches_)});
}

void Snapshots::add_bpf_time(const BpfRunTime& window, Duration length) {
  bpf_.run_ns += window.run_ns;
  bpf_.runs += window.runs;
  bpf_window_ += length;
  if (length > Duration{}) {
    bpf_load_ = static_cast<double>(window.run_ns) / static_cast<double>(length.count());
  }
}

void Snapshots::own_cost(Time now, std::size_t ring_peak, std::uint64_t ring_total,
                         std::size_t ring_size, RecordingWriter& writer) {
  rows::OwnCost row;
  row.t = now;
  if (auto own = read_own_use(fs_)) {
    row.cpu_ns = ns(own->cpu);
    row.rss_bytes = own->rss_bytes;
  }
  row.ring_bytes = ring_total;
  row.ring_peak = ring_peak;
  row.ring_size = ring_size;
  row.bpf_run_ns = bpf_.run_ns;
  row.bpf_runs = bpf_.runs;
  row.bpf_sampled_ns = ns(bpf_window_);
  row.file_bytes = writer.bytes_written();
  writer.add(row);
}

Watchdog::Sums Snapshots::sums(std::uint64_t requests) const {
  Watchdog::Sums sums;
  sums.t = MonotonicClock::now();
  sums.bpf = bpf_reckoned_;
  if (auto own = read_own_use(fs_)) sums.own = own->cpu;
  sums.target = target_cpu_;
  sums.requests = requests;
  sums.lost = lost_total_;
  if (auto tcp = read_tcp_resets(fs_, target_.pid)) {
    sums.segments = tcp->segments.value;
    sums.resets = tcp->established.value + tcp->sent.value;
  }
  return sums;
}

void Snapshots::name_process(std::uint32_t pid, bool target, RecordingWriter& writer) {
  if (target) targets_.insert(pid);
  if (pid == 0 || !named_.insert(pid).second) return;
  auto info = read_process(fs_, static_cast<pid_t>(pid));
  if (!info) return;
  rows::Process row;
  row.t = MonotonicClock::now();
  row.pid = pid;
  row.ppid = static_cast<std::uint32_t>(info->ppid);
  row.target = target;
  row.comm = info->comm;
  row.exe = info->exe;
  // Arguments hold passwords and tokens: those of other processes are nobody's business here.
  for (std::size_t i = 0; target && i < info->argv.size() && row.argv.size() <= kMaxArgvBytes; ++i) {
    if (i != 0) row.argv += ' ';
    row.argv += info->argv[i];
  }
  row.cgroup = cgroup_path(info->cgroups, "cpu");
  writer.add(row);
}

void Snapshots::want_peer(const rows::Conn& conn) {
  if (wanted_.size() >= kMaxWantedPeers || peer_ports_.contains(conn.remote_port)) return;
  wanted_.push_back(conn);
}

std::vector<std::uint32_t> Snapshots::name_peers(std::uint32_t pid, RecordingWriter& writer) {
  std::vector<SocketPair> pairs;
  std::vector<std::uint32_t> ports;
  for (const rows::Conn& c : wanted_) {
    pairs.push_back({endpoint_of(c.local_addr, c.local_port),
                     endpoint_of(c.remote_addr, c.remote_port)});
    ports.push_back(c.remote_port);
  }
  wanted_.clear();
  std::vector<std::uint32_t> found;
  const std::vector<pid_t> peers = find_peers(fs_, static_cast<pid_t>(pid), pairs);
  for (std::size_t i = 0; i < peers.size() && i < ports.size(); ++i) {
    if (peers[i] <= 0 || !peer_ports_.insert(ports[i]).second) continue;
    name_process(static_cast<std::uint32_t>(peers[i]), false, writer);
    writer.add(rows::Meta{fmt::format("peer.{}", ports[i]), std::to_string(peers[i])});
    found.push_back(static_cast<std::uint32_t>(peers[i]));
  }
  return found;
}

}  // namespace srvprof
