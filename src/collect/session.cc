#include "collect/session.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <thread>

#include <fmt/format.h>

#include "collect/capture_path.h"
#include "collect/decode.h"
#include "collect/facts.h"
#include "collect/frames.h"
#include "collect/governor.h"
#include "collect/live_stage.h"
#include "collect/live_stats.h"
#include "collect/load_command.h"
#include "collect/mark_socket.h"
#include "collect/probes.h"
#include "collect/runtime_probes.h"
#include "collect/skeleton.h"
#include "collect/snapshot.h"
#include "collect/span_probes.h"
#include "collect/stack_tables.h"
#include "collect/watchdog.h"
#include "recording/writer.h"
#include "records.h"
#include "runtime/jvm_attach.h"
#include "runtime/runtime.h"
#include "target/sockets.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kPoll = 5ms;             // between two looks into the ring
constexpr Duration kRound = 1s;             // between two rounds of slow facts
constexpr Duration kStatisticsWindow = 40ms;  // of each round: 4 % of the time
constexpr Duration kPeerGap = 3s;
constexpr Duration kClientGap = 300ms;      // the same where load generators shall be traced
constexpr Duration kAfterLoad = 200ms;
constexpr Duration kSilence = 10s;          // of a load command: longer is worth a word
constexpr std::size_t kNamesARound = 4000;
constexpr std::size_t kHintsADrain = 400;   // about 50 us each
constexpr double kLossLimit = 0.01;         // of all requests: above it the run is incomplete
constexpr Duration kJvmPatience = 10s;      // a busy one takes a second to list thousands of methods

bool has_runtime(const ProcFs& fs, const ProcessInfo& process, std::string_view name) {
  const auto found = detect_runtimes(fs, process);
  return found.ok() && std::any_of(found->begin(), found->end(),
                                   [&](const DetectedRuntime& r) { return r.name == name; });
}

// "node", "go" ...: names of the runtimes, comma-separated; "unknown" if the binary cannot be read.
std::string runtime_names(const ProcFs& fs, const ProcessInfo& process) {
  auto found = detect_runtimes(fs, process);
  if (!found || found->empty()) return "unknown";
  std::string names;
  for (const DetectedRuntime& r : *found) names += (names.empty() ? "" : ",") + r.name;
  return names;
}

class Session {
 public:
  Session(const CaptureOptions& options, const CaptureHooks& hooks, RecordingWriter writer,
          std::vector<ProcessInfo> targets)
      : options_(options),
        hooks_(hooks),
        writer_(std::move(writer)),
        targets_(std::move(targets)),
        snapshots_(fs_, targets_.front()),
        frames_(fs_) {
    decode_options_.keep_query = options.keep_query;
  }

  Result<CaptureResult> run();

 private:
  Status start();
  void loop();
  void drain();
  void round();
  void progress();
  void watch_statistics(Time now);
  void take_marks();
  void end_load();
  void tell_silence(Time now);
  bool aborted() const { return hooks_.stop_requested && hooks_.stop_requested() > 1; }
  void govern(Time now, double fill);
  bool targets_alive() const;
  std::string reason_to_stop(Time now);
  Status finish();
  DecodeHooks decode_hooks();
  void code_of_task(const rows::Task& task);
  void attach_spans(const ProcessInfo& process);
  void announce_jvms() const;
  void ask_jvms();
  void add_client(std::uint32_t pid);
  void find_peers(Time now);
  void write_clients();
  void message(const std::string& text) const {
    if (hooks_.message) hooks_.message(text);
  }

  const CaptureOptions& options_;
  const CaptureHooks& hooks_;
  ProcFs fs_;
  RecordingWriter writer_;
  std::vector<ProcessInfo> targets_;
  StackTables stacks_{fs_};
  std::unique_ptr<Probes> probes_;
  SpanProbes spans_{fs_};  // goes before the programs that it attached
  RuntimeProbes runtimes_{fs_, spans_, {options_.gc_assists}};
  Snapshots snapshots_;
  FrameNamer frames_;
  Governor governor_;
  std::optional<Watchdog> watchdog_;
  std::string watchdog_reason_;
  DecodeOptions decode_options_;
  DecodeHooks hooks_of_decode_;
  std::optional<LoadCommand> load_;
  std::optional<MarkSocket> marks_;
  std::set<std::uint32_t> clients_;  // load generators that are traced
  std::string no_client_;            // why one is not
  Time begin_, last_round_, last_peers_, statistics_since_;
  bool statistics_on_ = false, statistics_refused_ = false;
  std::string end_reason_;
  std::uint64_t requests_ = 0, requests_before_ = 0, undecodable_ = 0, ring_total_ = 0;
  std::size_t ring_peak_ = 0;
  LatencyHistogram latencies_;
  LiveStage stage_{Time{}};
  Time last_request_;  // as far as progress() has seen
};

DecodeHooks Session::decode_hooks() {
  DecodeHooks h;
  h.request = [this](const rows::Request& r) {
    ++requests_;
    if (known(r.t_write)) latencies_.add(r.t_write_last - r.t_arrive);
  };
  h.conn = [this](const rows::Conn& c) { snapshots_.want_peer(c); };
  h.task = [this](const rows::Task& t) {
    snapshots_.name_process(t.pid, (t.flags & SP_TASK_TARGET) != 0, writer_);
    if ((t.flags & SP_TASK_TARGET) != 0) code_of_task(t);
  };
  h.stack = [this](const rows::Stack& s) { frames_.add(s); };
  h.span = [this](const rows::Span& s) {
    if (s.kind == "mark-compact") frames_.forget_moved(s.pid);
  };
  return h;
}

// A target's new program, or a child that became a target, has code that the stack walker must know.
void Session::code_of_task(const rows::Task& task) {
  const auto pid = static_cast<pid_t>(task.pid);
  const bool exec = (task.flags & SP_TASK_EXEC) != 0;
  if (!exec && stacks_.knows(pid)) return;
  const auto process = read_process(fs_, pid);
  if (exec && stacks_.knows(pid)) {
    stacks_.changed(pid);
  } else if (process) {
    stacks_.add(pid, runtime_names(fs_, *process));
  }
  if (process && probes_ != nullptr) attach_spans(*process);
}

void Session::drain() {
  const Probes::Sink sink = [this](std::span<const std::byte> record) {
    if (!decode(record, decode_options_, hooks_of_decode_, writer_)) ++undecodable_;
  };
  const std::size_t taken = probes_->consume(sink);
  frames_.learn(kHintsADrain);
  ring_total_ += taken;
  ring_peak_ = std::max(ring_peak_, taken);
  govern(MonotonicClock::now(), static_cast<double>(taken) / static_cast<double>(probes_->ring_bytes()));
}

void Session::govern(Time now, double fill) {
  std::uint64_t lost = 0;
  const sp_shared& shared = probes_->shared();
  for (int reason : {SP_LOSS_RING_REQUEST, SP_LOSS_RING_SCHED, SP_LOSS_MARK}) {
    lost += __atomic_load_n(&shared.lost[reason], __ATOMIC_RELAXED);
  }
  const auto one_in = governor_.update(now, fill, lost);
  if (!one_in) return;
  __atomic_store_n(&probes_->shared().one_in, *one_in, __ATOMIC_RELAXED);
  writer_.add(rows::Governor{now, *one_in,
                             fmt::format("ring {:.0f} % full, {} records lost", fill * 100, lost)});
}

void Session::watch_statistics(Time now) {
  if (statistics_on_ && now - statistics_since_ >= kStatisticsWindow) {
    snapshots_.add_bpf_time(probes_->end_statistics(), now - statistics_since_);
    statistics_on_ = false;
  } else if (!statistics_on_ && now - statistics_since_ >= kRound) {
    statistics_since_ = now;
    statistics_on_ = probes_->begin_statistics();
    if (!statistics_on_ && !statistics_refused_) {
      statistics_refused_ = true;
      writer_.add(rows::Capability{"own cost in the kernel", false,
                                   "timing BPF programs (BPF_ENABLE_STATS) needs CAP_SYS_ADMIN"});
    }
  }
}

void Session::take_marks() {
  if (!marks_) return;
  marks_->poll([this](Time t, const std::string& name) {
    writer_.add(rows::PhaseMark{t, name, "mark"});
    stage_.mark(t, name);
    message(fmt::format("phase '{}' begins at {:.1f} s", name, to_seconds(t - begin_)));
  });
}

// A load that hangs looks like a server that does: who waits is told what for.
void Session::tell_silence(Time now) {
  if (requests_ != requests_before_) {
    last_request_ = now;
  } else if (load_ && known(last_request_) && now - last_request_ >= kSilence) {
    message(fmt::format(
        "no request reached the server for {:.0f} s, and the load command ({}, pid {}) still runs: Ctrl-C ends both, "
        "-d limits them",
        to_seconds(kSilence), options_.load_argv.front(), load_->pid()));
    last_request_ = Time{};  // said once
  }
}

void Session::progress() {
  const Time now = MonotonicClock::now();
  tell_silence(now);
  stage_.add(now, static_cast<double>(requests_ - requests_before_));
  if (!hooks_.progress) {
    requests_before_ = requests_;
    return;
  }
  Progress p;
  p.elapsed = now - begin_;
  p.stage = stage_.name();
  p.stage_since = stage_.since() - begin_;
  p.requests = requests_;
  p.lost = snapshots_.lost();
  p.rate = static_cast<double>(requests_ - requests_before_) / to_seconds(kRound);
  p.p50 = latencies_.quantile(0.50);
  p.p99 = latencies_.quantile(0.99);
  requests_before_ = requests_;
  latencies_.clear();
  hooks_.progress(p);
}

void Session::round() {
  snapshots_.take(*probes_, ring_peak_, ring_total_, writer_);
  ring_peak_ = 0;
  const Time now = MonotonicClock::now();
  spans_.guard(now);
  runtimes_.look_again(probes_->span_hooks(), writer_);
  decode_options_.spans = spans_.kinds();
  frames_.resolve(kNamesARound, writer_);
  if (auto why = watchdog_->check(snapshots_.sums(requests_)); why && watchdog_reason_.empty()) {
    watchdog_reason_ = *why;
  }
  (void)writer_.flush();  // its error is sticky and ends the loop
  progress();
}

// A process of this machine that makes the load.
void Session::add_client(std::uint32_t pid) {
  const bool is_target = std::any_of(targets_.begin(), targets_.end(), [pid](const ProcessInfo& p) {
    return static_cast<std::uint32_t>(p.pid) == pid;
  });
  if (is_target || clients_.contains(pid)) return;
  const Status added = probes_->add_client(pid);
  if (added.ok()) {
    clients_.insert(pid);
    snapshots_.name_process(pid, false, writer_);
  } else {
    no_client_ = added.error().what;
  }
}

void Session::find_peers(Time now) {
  const bool all = options_.clients == CaptureOptions::Clients::kAll;
  if (!snapshots_.peers_wanted() || now - last_peers_ < (all ? kClientGap : kPeerGap)) return;
  last_peers_ = now;
  for (const std::uint32_t pid : snapshots_.name_peers(options_.pids.front(), writer_)) {
    if (all) add_client(pid);
  }
}

void Session::write_clients() {
  if (!clients_.empty() || !no_client_.empty()) {
    writer_.add(rows::Capability{"client", !clients_.empty(), no_client_});
  } else if (options_.clients == CaptureOptions::Clients::kNone) {
    writer_.add(rows::Capability{"client", false, "turned off (--no-client)"});
  } else if (options_.clients == CaptureOptions::Clients::kStarted) {
    writer_.add(rows::Capability{
        "client", false, "only a load that srvprof starts (attach -- LOAD) is traced unless --client asks"});
  } else {
    writer_.add(rows::Capability{"client", false, "no process of this machine was found to make the load"});
  }
}

bool Session::targets_alive() const {
  return std::any_of(targets_.begin(), targets_.end(),
                     [this](const ProcessInfo& p) { return is_alive(fs_, p); });
}

std::string Session::reason_to_stop(Time now) {
  if (hooks_.stop_requested && hooks_.stop_requested() != 0) return "signal";
  if (!writer_.status().ok()) return "error: " + writer_.status().error().what;
  if (!watchdog_reason_.empty()) return "watchdog: " + watchdog_reason_;
  if (options_.duration && now - begin_ >= *options_.duration) return "duration";
  // A little longer: the server has yet to see that the load's connections are closed.
  if (load_ && !load_->poll() && now - load_->ended() >= kAfterLoad) return "load-end";
  return {};
}

void Session::loop() {
  Time checked = begin_;
  last_round_ = last_request_ = begin_;
  stage_ = LiveStage(begin_);
  last_peers_ = begin_ - kPeerGap + kRound;
  statistics_since_ = begin_ - kRound / 2;
  while (end_reason_.empty()) {
    std::this_thread::sleep_for(kPoll);
    drain();
    take_marks();
    const Time now = MonotonicClock::now();
    watch_statistics(now);
    stacks_.refresh(now, probes_->shared());
    if (now - checked >= 50ms) {
      checked = now;
      if (load_) {
        const std::string text = load_->take_new_output();
        if (!text.empty()) message(text);
      }
      if (!targets_alive()) end_reason_ = "target-exit";
    }
    find_peers(now);
    if (now - last_round_ >= kRound) {
      last_round_ = now;
      round();
    }
    if (end_reason_.empty()) end_reason_ = reason_to_stop(now);
  }
}

// Without these probes everything else is still measured.
void Session::attach_spans(const ProcessInfo& process) {
  const SpanHooks hooks = probes_->span_hooks();
  if (hooks.on_hit == nullptr) return;  // start() says so
  runtimes_.attach(hooks, process, writer_);
  decode_options_.spans = spans_.kinds();
}

void Session::announce_jvms() const {
  for (const ProcessInfo& t : targets_) {
    if (!options_.jvm_perf_map || !has_runtime(fs_, t, "jvm")) continue;
    message(fmt::format("--jvm-perf-map: pid {} is asked to write /tmp/perf-{}.map, which stays; this runs code "
                        "in it, and may start its attach listener", t.pid, t.ns_pid));
  }
}

// The one thing that writes on the target's side, and only when asked for: at the begin, and at the end for
// what was compiled meanwhile.
void Session::ask_jvms() {
  if (!options_.jvm_perf_map) return;
  for (const ProcessInfo& t : targets_) {
    if (!has_runtime(fs_, t, "jvm")) continue;
    const Status asked = write_jvm_perf_map(fs_, t, kJvmPatience);
    if (asked.ok()) continue;
    writer_.add(rows::Capability{fmt::format("symbols.{}", t.pid), false, asked.error().what});
    if (!known(begin_)) message(asked.error().what);
  }
}

Status Session::start() {
  const Watchdog::Sums before = snapshots_.sums(0);
  ProbeConfig config;
  for (const ProcessInfo& t : targets_) {
    config.pids.push_back(static_cast<std::uint32_t>(t.pid));
    auto listeners = read_listeners(fs_, t.pid);
    if (!listeners) continue;
    write_listeners(*listeners, static_cast<std::uint32_t>(t.pid), writer_);
    for (std::uint16_t port : listening_ports(*listeners)) config.ports.push_back(port);
  }
  std::sort(config.ports.begin(), config.ports.end());
  config.ports.erase(std::unique(config.ports.begin(), config.ports.end()), config.ports.end());
  config.netns = static_cast<std::uint32_t>(targets_.front().net_ns);
  const std::string runtime = runtime_names(fs_, targets_.front());
  config.go = runtime.find("go") != std::string::npos;
  config.capture = options_.capture;
  config.full = options_.full;
  config.irq = options_.irq || options_.full;
  config.follow_children = options_.follow_children;
  config.clients = options_.clients == CaptureOptions::Clients::kAll ||
                   (options_.clients == CaptureOptions::Clients::kStarted && !options_.load_argv.empty());
  config.cgroup_v1 = cpu_is_v1(targets_.front());
  config.frequency = options_.frequency;
  config.ring_bytes = ring_size(options_.ring_bytes);
  write_meta(options_, targets_, config, runtime, writer_);
  write_thread_hints(runtime, writer_);
  for (const ProcessInfo& t : targets_) {
    snapshots_.name_process(static_cast<std::uint32_t>(t.pid), true, writer_);
    write_threads(fs_, t, writer_);
    stacks_.add(t.pid, runtime_names(fs_, t));
  }
  config.stacks = &stacks_;
  probes_ = TRY(Probes::load(config));
  TRY(probes_->attach());
  for (const ProcessInfo& t : targets_) attach_spans(t);
  announce_jvms();
  ask_jvms();
  begin_ = MonotonicClock::now();
  writer_.add(rows::Clock{begin_, realtime_ns()});
  snapshots_.begin(*probes_);
  TRY(probes_->activate());
  Watchdog::Limits limits;
  if (options_.max_overhead) limits = {*options_.max_overhead, Watchdog::kCpusIfShareIsGiven};
  watchdog_.emplace(limits, before, snapshots_.sums(0));
  if (auto marks = MarkSocket::open(options_.pids.front(), options_.owner_uid); marks.ok()) {
    marks_.emplace(std::move(*marks));
  } else {
    writer_.add(rows::Capability{"marks", false, marks.error().what});
  }
  write_capabilities(*probes_, config, writer_);
  drop_privileges_for_recording(writer_);
  writer_.add(rows::Meta{"capture", probes_->path().name});
  if (probes_->span_hooks().on_hit == nullptr) {
    writer_.add(rows::Capability{"gc", false, "probes on the target's code need Linux 5.15 (attach cookies)"});
  }
  spans_.guard(begin_);
  snapshots_.take(*probes_, 0, 0, writer_);
  return {};
}

Status Session::finish() {
  if (statistics_on_) snapshots_.add_bpf_time(probes_->end_statistics(), MonotonicClock::now() - statistics_since_);
  const Time end = MonotonicClock::now();
  const Status off = probes_->deactivate();
  spans_.detach();
  const Time flushed = MonotonicClock::now();
  decode_options_.at_end = true;
  do {
    ring_peak_ = 0;
    drain();
  } while (ring_peak_ != 0 && MonotonicClock::now() - flushed < 5s && !aborted());
  spans_.write_open(decode_options_, writer_);
  spans_.write_capabilities(writer_);
  spans_.write_verdict(writer_);
  if (snapshots_.peers_wanted() && !aborted()) snapshots_.name_peers(options_.pids.front(), writer_);
  write_clients();
  snapshots_.take(*probes_, ring_peak_, ring_total_, writer_);
  for (const ProcessInfo& t : targets_) write_threads(fs_, t, writer_);
  if (!aborted()) {  // what takes long
    ask_jvms();
    frames_.resolve_rest(writer_);
  }
  frames_.write_mappings(writer_);
  frames_.write_capabilities(writer_);
  stacks_.write_capabilities(writer_);
  snapshots_.write_switches(writer_);
  if (load_) {
    rows::Load row;
    row.t_start = load_->started();
    row.t_end = load_->ended();
    row.pid = static_cast<std::uint32_t>(load_->pid());
    row.exit_status = load_->exit_status();
    for (const std::string& word : options_.load_argv) row.argv += (row.argv.empty() ? "" : " ") + word;
    row.output = load_->output();
    writer_.add(row);
    if (!load_->ending().empty()) writer_.add(rows::Meta{"load.end", load_->ending()});
  }
  if (undecodable_ != 0) writer_.add(rows::Loss{begin_, end, "undecodable records", undecodable_});
  writer_.add(rows::End{end, end_reason_});
  TRY(writer_.close());
  return off;
}

void Session::end_load() {
  if (!load_) return;
  load_->stop([this] {
    drain();
    return !aborted();
  });
  if (std::string text = load_->take_new_output(); !text.empty()) message(text);
  if (!load_->ending().empty()) {
    message("the load command: " + load_->ending());
  } else if (load_->exit_status() != 0) {
    message(fmt::format("the load command ended with exit status {}: it may have failed", load_->exit_status()));
  }
  writer_.add(rows::PhaseMark{load_->ended(), "after load", "load-end"});
}

Result<CaptureResult> Session::run() {
  hooks_of_decode_ = decode_hooks();
  TRY(start());
  std::string ports;
  for (std::uint32_t i = 0; i < probes_->shared().n_ports; ++i) {
    ports += fmt::format(" :{}", probes_->shared().ports[i]);
  }
  message(fmt::format("tracing pid {} {} on{}{}", targets_.front().pid,
                      command_summary(targets_.front()), ports.empty() ? " no TCP port yet" : ports,
                      options_.load_argv.empty() ? " - start the load now" : ""));
  if (!options_.load_argv.empty()) {
    load_.emplace(TRY(LoadCommand::start(options_.load_argv, options_.owner_uid, options_.owner_gid)));
    if (options_.clients != CaptureOptions::Clients::kNone) {
      add_client(static_cast<std::uint32_t>(load_->pid()));
    }
    writer_.add(rows::PhaseMark{load_->started(), "load", "load-start"});
  }
  loop();
  end_load();
  const Status finished = finish();
  CaptureResult result;
  result.path = options_.output;
  result.end_reason = end_reason_;
  result.requests = requests_;
  result.lost = snapshots_.lost();
  result.watchdog = watchdog_reason_;
  result.incomplete = !result.watchdog.empty() ||
                      static_cast<double>(result.lost) > kLossLimit * static_cast<double>(requests_ + 1);
  probes_.reset();
  drop_privileges_for_report();
  if (!finished.ok()) return finished.error();
  if (aborted()) {
    return Error{"recording: aborted by a second signal", "what was recorded until then is in " + options_.output,
                 ErrorKind::kAborted};
  }
  return result;
}

}  // namespace

Result<CaptureResult> capture(const CaptureOptions& options, const CaptureHooks& hooks) {
  ProcFs fs;
  std::vector<ProcessInfo> targets = TRY(find_targets(fs, options));
  TRY(check_can_capture());
  if (!options.load_argv.empty()) TRY(check_load_command(options.load_argv.front()));
  std::optional<FileOwner> owner;
  if (options.owner_uid != 0) owner = FileOwner{options.owner_uid, options.owner_gid};
  RecordingWriter writer = TRY(RecordingWriter::create(options.output, owner));
  Session session(options, hooks, std::move(writer), std::move(targets));
  return session.run();
}

}  // namespace srvprof
