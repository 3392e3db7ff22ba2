#include "measure.h"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "place.h"
#include "tracer.h"

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWarmUp = 1s, kCalibration = 1s;

struct Reading {
  Time t;
  std::uint64_t answered = 0;
  ServerTime server;
};

Result<Reading> read(const Server& server, const LoadCounters& load) {
  Reading r;
  r.server = TRY(server.time());
  r.answered = load.answered.load(std::memory_order_relaxed);
  r.t = MonotonicClock::now();
  return r;
}

// Of the whole run, to be subtracted from each other.
Window tracer_reading(const TracerCounters& t) {
  Window w;
  w.ring_bytes = t.ring_bytes.load();
  w.records = t.records.load();
  w.traced = t.requests.load();
  w.ring_answered = t.answered.load();
  return w;
}

class Run {
 public:
  Run(const BenchOptions& options, const Server& server, Shared& shared, Mode mode)
      : options_(options), server_(server), shared_(shared), mode_(mode) {}

  Status start(std::vector<std::string>& notes);
  Status calibrate();
  Result<Window> window(bool on);
  Status finish(Case& c);
  double rate() const { return rate_; }

 private:
  Status switch_to(bool on);

  const BenchOptions& options_;
  const Server& server_;
  Shared& shared_;
  Mode mode_;
  std::optional<Tracer> tracer_;
  std::optional<LoadProcess> load_;
  bool on_ = false;
  double rate_ = 0;
};

Status Run::start(std::vector<std::string>& notes) {
  if (mode_ != Mode::kControl) {
    TracerOptions t{server_.pid(), mode_ == Mode::kFull, options_.capture, options_.directory, options_.load_cpu};
    tracer_.emplace(TRY(Tracer::start(t, shared_, notes)));
  }
  const LoadOptions load{server_.port(), options_.path, options_.connections};
  load_.emplace(TRY(LoadProcess::start(load, options_.load_cpu, shared_.load, notes)));
  sleep_for(kWarmUp);
  return load_->check();
}

Status Run::calibrate() {
  rate_ = measure_rate(shared_.load, kCalibration) / 2;
  shared_.load.rate.store(rate_);
  sleep_for(options_.settle);
  return load_->check();
}

Status Run::switch_to(bool on) {
  if (!tracer_ || on == on_) return {};
  on_ = on;
  return on ? tracer_->on() : tracer_->off();
}

Result<Window> Run::window(bool on) {
  TRY(switch_to(on));
  sleep_for(options_.settle);
  if (tracer_) TRY(tracer_->update());
  const Window before = tracer_reading(shared_.tracer);
  shared_.load.latencies.clear();
  shared_.load.counting.store(1);
  const Reading from = TRY(read(server_, shared_.load));
  sleep_for(options_.window);
  const Reading to = TRY(read(server_, shared_.load));
  shared_.load.counting.store(0);
  if (tracer_) TRY(tracer_->update());
  TRY(load_->check());
  Window w = tracer_reading(shared_.tracer);
  w.ring_bytes -= before.ring_bytes;
  w.records -= before.records;
  w.traced -= before.traced;
  w.ring_answered -= before.ring_answered;
  w.on = on;
  w.seconds = to_seconds(to.t - from.t);
  w.answered = to.answered - from.answered;
  w.cpu_ns = to.server.cpu_ns - from.server.cpu_ns;
  w.runq_ns = to.server.runq_ns - from.server.runq_ns;
  w.p50_us = shared_.load.latencies.quantile(0.50) / 1e3;
  w.p99_us = shared_.load.latencies.quantile(0.99) / 1e3;
  if (w.answered == 0) return Error{"no request was answered in a window", "", {}};
  return w;
}

Status Run::finish(Case& c) {
  if (!tracer_) return {};
  TRY(switch_to(false));
  TRY(tracer_->update());
  const TracerCounters& t = shared_.tracer;
  c.lost = t.lost.load();
  c.undecodable = t.undecodable.load();
  c.one_in_max = t.one_in_max.load();
  c.collector_rss = t.rss_bytes.load();
  const auto traced = static_cast<double>(t.requests.load());
  if (traced > 0) c.collector_us = static_cast<double>(t.cpu_ns.load()) / 1e3 / traced;
  return {};
}

}  // namespace

void sleep_for(Duration d) { std::this_thread::sleep_for(d); }

Result<LoadProcess> LoadProcess::start(const LoadOptions& options, int cpu, LoadCounters& counters,
                                       std::vector<std::string>& notes) {
  new (&counters) LoadCounters{};
  LoadProcess load(TRY(fork_placed(cpu, notes, [&] { return run_load(options, counters); })), counters);
  for (int i = 0; i < 500 && counters.ready.load() == 0; ++i) {
    TRY(load.check());
    sleep_for(10ms);
  }
  return load;
}

LoadProcess::LoadProcess(LoadProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), counters_(other.counters_) {}

LoadProcess::~LoadProcess() {
  if (pid_ == 0) return;
  counters_->stop.store(1);
  for (int i = 0; i < 100 && still_runs(pid_); ++i) sleep_for(10ms);
  if (still_runs(pid_)) end_process(pid_);
}

Status LoadProcess::check() {
  if (pid_ != 0 && still_runs(pid_)) return {};
  pid_ = 0;
  const std::string why = counters_->error.data();
  return Error{"the load ended: " + (why.empty() ? "killed" : why), "", {}};
}

double measure_rate(const LoadCounters& counters, Duration d) {
  const Time t0 = MonotonicClock::now();
  const std::uint64_t before = counters.answered.load();
  sleep_for(d);
  const auto n = static_cast<double>(counters.answered.load() - before);
  return n / to_seconds(MonotonicClock::now() - t0);
}

Result<Case> run_case(const BenchOptions& options, const std::string& name, const Server& server,
                      bool open_loop, Mode mode, Shared& shared, std::vector<std::string>& notes) {
  new (&shared.tracer) TracerCounters{};
  Run run(options, server, shared, mode);
  TRY(run.start(notes));
  if (open_loop) TRY(run.calibrate());
  Case c;
  c.server = name;
  c.open_loop = open_loop;
  c.mode = mode;
  c.rate = run.rate();
  for (unsigned pair = 0; pair < options.pairs; ++pair) {
    const bool on_first = pair % 2 != 0;
    Window first = TRY(run.window(on_first));
    Window second = TRY(run.window(!on_first));
    if (on_first) std::swap(first, second);
    c.pairs.emplace_back(first, second);
  }
  TRY(run.finish(c));
  return c;
}

}  // namespace srvprof
