#include "analyze/load_align.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "analyze/facts.h"
#include "analyze/words.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPause = 500ms;        // without a request: a new run of a generator may begin
constexpr Duration kSlack = 20ms;         // around a run whose times are exact
constexpr std::size_t kMostStarts = 200;  // of stretches of load that are tried

std::uint64_t abs_difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

bool names(std::string_view text, std::string_view tool) {
  return !tool.empty() && text.find(tool) != std::string_view::npos;
}

// Processes that made requests, without the target's own.
std::set<std::uint32_t> clients_of(const Trace& trace) {
  std::set<std::uint32_t> out;
  for (const Conn& conn : trace.conns) {
    if (conn.outgoing || conn.peer_pid == 0) continue;
    const Process* process = find_process(trace, conn.peer_pid);
    if (process == nullptr || !process->target) out.insert(conn.peer_pid);
  }
  return out;
}

// The command that srvprof started and what it started in turn.
std::set<std::uint32_t> family_of(const Trace& trace, std::uint32_t pid) {
  std::set<std::uint32_t> out{pid};
  for (bool more = true; more;) {
    more = false;
    for (const auto& [child, process] : trace.processes) {
      if (out.contains(process.ppid) && out.insert(child).second) more = true;
    }
  }
  return out;
}

class Chooser {
 public:
  Chooser(const Trace& trace, const ClientRun& run, const rows::Load* load)
      : trace_(trace), run_(run), load_(load) {}

  LoadSet choose() {
    set_window();
    choose_peers();
    if (!set_.zero && run_.time_base == TimeBase::kToolStart) by_first_request();
    if (!known(set_.begin)) by_length();
    collect();
    return std::move(set_);
  }

 private:
  void set_window();
  void choose_peers();
  void by_first_request();
  void by_length();
  void collect();
  bool is_of_set(const Request& r) const;
  std::uint64_t count(const std::set<std::uint32_t>& peers) const;
  std::optional<std::uint64_t> counted() const {
    return run_.counts.answered ? run_.counts.answered : run_.counts.requests;
  }
  void window_of_samples(Time zero) {
    set_.zero = zero;
    Duration end{};
    for (const ClientSample& s : run_.samples)
      end = std::max(end, s.start + std::max(s.latency, 0ns));
    const Duration first = run_.samples.empty() ? Duration{} : run_.samples.front().start;
    set_.begin = zero + first - kSlack;
    set_.end = zero + end + kSlack;
  }

  const Trace& trace_;
  const ClientRun& run_;
  const rows::Load* load_;
  LoadSet set_;
  std::set<std::uint32_t> peers_;  // empty = all
};

void Chooser::set_window() {
  if (run_.time_base == TimeBase::kMonotonic && !run_.samples.empty()) {
    window_of_samples(Time{});
    set_.aligned = "its times are of the recording's own clock";
  } else if (run_.time_base == TimeBase::kWallClock && !run_.samples.empty()) {
    if (const auto zero = at_wall_clock(trace_, run_.samples.front().start)) {
      window_of_samples(*zero - run_.samples.front().start);
      set_.aligned = "its wall-clock times, by the recording's clock pairs";
    }
  }
  if (!known(set_.begin) && run_.started && run_.finished) {
    const auto begin = at_wall_clock(trace_, *run_.started);
    const auto end = at_wall_clock(trace_, *run_.finished);
    if (begin && end && *begin < *end) {
      set_.begin = *begin - kSlack;
      set_.end = *end + kSlack;
      set_.aligned = "its start and end by the wall clock, by the recording's clock pairs";
    }
  }
  if (load_ == nullptr) return;
  // The process's own life bounds all of it; samples keep their own clock.
  set_.begin = load_->t_start;
  set_.end = known(load_->t_end) ? load_->t_end : trace_.t_end;
  set_.aligned += set_.aligned.empty() ? "srvprof started it, so its start and end are known"
                                       : ", within the life of the process that srvprof started";
}

std::uint64_t Chooser::count(const std::set<std::uint32_t>& peers) const {
  std::uint64_t n = 0;
  for (const Request& r : trace_.requests) {
    if (known(set_.begin) && (r.t_arrive < set_.begin || r.t_arrive >= set_.end)) continue;
    n += peers.empty() || peers.contains(trace_.conn(r.conn).peer_pid);
  }
  return n;
}

// By the process that srvprof started; else by the tool's name; else the one client whose number of
// requests fits better than that of all of them.
void Chooser::choose_peers() {
  if (load_ != nullptr) {
    peers_ = family_of(trace_, load_->pid);
    peers_.insert(0u);  // closed before its other end was looked up
    return;
  }
  const std::set<std::uint32_t> clients = clients_of(trace_);
  if (clients.size() < 2) return;
  for (const std::uint32_t pid : clients) {
    const Process* process = find_process(trace_, pid);
    if (process && (names(process->comm, run_.tool) || names(process->argv, run_.tool))) {
      peers_.insert(pid);
    }
  }
  if (!peers_.empty() || !counted()) return;
  std::uint64_t best = abs_difference(count({}), *counted());
  for (const std::uint32_t pid : clients) {
    const std::uint64_t off = abs_difference(count({pid}), *counted());
    if (off < best) best = off, peers_ = {pid};
  }
}

bool Chooser::is_of_set(const Request& r) const {
  if (known(set_.begin) && (r.t_arrive < set_.begin || r.t_arrive >= set_.end)) return false;
  return peers_.empty() || peers_.contains(trace_.conn(r.conn).peer_pid);
}

// Samples that count from the tool's own start: their first start is the first request.
void Chooser::by_first_request() {
  if (run_.samples.empty() || load_ == nullptr) return;
  for (const Request& r : trace_.requests) {
    if (!is_of_set(r)) continue;
    const ClientSample& first = run_.samples.front();
    // A latency that includes connecting begins before the request arrives.
    const Duration lead = run_.latency_has_connect.value_or(false) && first.connect > 0ns
                              ? first.connect
                              : Duration{};
    set_.zero = r.t_arrive - lead - first.start;
    set_.aligned += "; its own zero by the first request that arrived";
    return;
  }
}

// The file has no clock: it is laid over the stretch of load whose number of requests fits best.
void Chooser::by_length() {
  set_.begin = trace_.t_begin;
  set_.end = trace_.t_end;
  const Duration length = run_.duration.value_or(Duration{});
  set_.aligned = "the output has no clock: taken for the whole recording";
  if (length <= 0ns || !counted()) return;
  std::vector<Time> arrivals;
  for (const Request& r : trace_.requests) {
    if (peers_.empty() || peers_.contains(trace_.conn(r.conn).peer_pid)) {
      arrivals.push_back(r.t_arrive);
    }
  }
  Time last;
  std::uint64_t best = ~std::uint64_t{0};
  std::size_t tried = 0;
  Time chosen;
  for (std::size_t i = 0; i < arrivals.size(); ++i) {
    const bool starts = i == 0 || arrivals[i] - last >= kPause;
    last = arrivals[i];
    if (!starts || ++tried > kMostStarts) continue;
    const auto to =
        std::lower_bound(arrivals.begin(), arrivals.end(), arrivals[i] + length + kPause);
    const auto n = static_cast<std::uint64_t>(to - arrivals.begin()) - i;
    if (abs_difference(n, *counted()) >= best) continue;
    best = abs_difference(n, *counted());
    chosen = arrivals[i];
  }
  if (!known(chosen)) return;
  set_.begin = chosen;
  set_.end = std::min(trace_.t_end, chosen + length + kPause);
  set_.aligned = fmt::format(
      "the output has no clock: laid by its length of {:.2f} s over the load that begins at {}",
      to_seconds(length), clock_words(chosen - trace_.t_begin));
  if (run_.time_base == TimeBase::kToolStart && !run_.samples.empty()) {
    set_.zero = chosen - run_.samples.front().start;
  }
}

void Chooser::collect() {
  for (std::uint32_t i = 0; i < trace_.requests.size(); ++i) {
    if (is_of_set(trace_.requests[i])) set_.requests.push_back(RequestId{i + 1});
  }
  std::stable_sort(set_.requests.begin(), set_.requests.end(), [&](RequestId a, RequestId b) {
    return trace_.request(a).conn < trace_.request(b).conn;
  });
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < set_.requests.size(); ++i) {
    const ConnId conn = trace_.request(set_.requests[i]).conn;
    if (i > 0 && trace_.request(set_.requests[i - 1]).conn == conn) continue;
    ++set_.connections;
    if (const std::uint32_t pid = trace_.conn(conn).peer_pid; pid != 0) seen.insert(pid);
  }
  set_.peers.assign(seen.begin(), seen.end());
}

}  // namespace

std::optional<Time> at_wall_clock(const Trace& trace, Duration since_epoch) {
  const rows::Clock* best = nullptr;
  Duration nearest{};
  for (const rows::Clock& pair : trace.clocks) {
    const Duration off = since_epoch - Duration(static_cast<std::int64_t>(pair.realtime_ns));
    if (best != nullptr && std::chrono::abs(off) >= std::chrono::abs(nearest)) continue;
    best = &pair;
    nearest = off;
  }
  if (best == nullptr) return std::nullopt;
  const Time t = best->t + nearest;
  if (t <= Time{}) return std::nullopt;
  return t;
}

LoadSet align_load(const Trace& trace, const ClientRun& run, const rows::Load* load) {
  return Chooser(trace, run, load).choose();
}

}  // namespace srvprof
