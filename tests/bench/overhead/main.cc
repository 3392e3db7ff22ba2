// overhead_bench: what srvprof costs a server, by switching it on and off inside one load run.
// Exit codes: 0 every requirement met, 1 not (or an error), 2 usage, 77 this kernel or user cannot trace.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "collect/probes.h"
#include "options.h"
#include "place.h"
#include "print.h"

namespace srvprof {
namespace {

volatile sig_atomic_t bench_pid = 0;

void pass_on(int signal) {
  if (bench_pid > 0) ::kill(bench_pid, signal);
}

int fail(const Error& error) {
  fmt::print(stderr, "overhead_bench: {}\n", error.what);
  if (!error.hint.empty()) fmt::print(stderr, "  hint: {}\n", error.hint);
  return 1;
}

class Bench {
 public:
  Bench(const BenchOptions& options, std::vector<std::string> notes)
      : options_(options), notes_(std::move(notes)) {}
  int run();

 private:
  Status measure();
  Status measure_server(const ServerSpec& spec);
  Status probes_of(const ServerSpec& spec, const Server& server);
  void print_notes();
  bool write_json();

  const BenchOptions& options_;
  std::vector<std::string> notes_;
  Shared* shared_ = map_shared();
  std::vector<Case> cases_;
  std::vector<ProbeTable> tables_;
};

Status Bench::probes_of(const ServerSpec& spec, const Server& server) {
  for (const bool open_loop : {false, true}) {
    if (open_loop ? !options_.open_loop : !options_.closed_loop) continue;
    const bool full = options_.modes.size() == 1 && options_.modes.front() == Mode::kFull;
    tables_.push_back(
        TRY(measure_probes(options_, spec.name, server, open_loop, full, *shared_, notes_)));
  }
  return {};
}

Status Bench::measure_server(const ServerSpec& spec) {
  const Server server = TRY(Server::start(spec, options_.server_cpu, notes_));
  if (options_.probes) return probes_of(spec, server);
  for (const bool open_loop : {false, true}) {
    if (open_loop ? !options_.open_loop : !options_.closed_loop) continue;
    for (Mode mode : options_.modes) {
      cases_.push_back(TRY(run_case(options_, spec.name, server, open_loop, mode, *shared_, notes_)));
      fmt::print("{}\n", case_text(cases_.back()));
      std::fflush(stdout);
    }
  }
  return {};
}

void Bench::print_notes() {
  std::sort(notes_.begin(), notes_.end());
  notes_.erase(std::unique(notes_.begin(), notes_.end()), notes_.end());
  for (const std::string& note : notes_) fmt::print("note: {}: expect more noise\n", note);
}

Status Bench::measure() {
  if (shared_ == nullptr) return Error{"mapping shared memory: no memory", "", {}};
  for (const ServerSpec& spec : options_.servers) TRY(measure_server(spec));
  return {};
}

bool Bench::write_json() {
  if (options_.json.empty()) return true;
  std::ofstream file(options_.json);
  file << json_text(options_, cases_, tables_, notes_);
  return file.flush().good();
}

int Bench::run() {
  const Status done = measure();
  print_notes();
  if (!done.ok()) return fail(done.error());
  if (!tables_.empty()) fmt::print("{}", probe_markdown(tables_));
  const std::vector<Verdict> verdicts = judge(cases_);
  fmt::print("{}", verdict_text(verdicts));
  if (!write_json()) return fail(Error{"writing " + options_.json + " failed", "", {}});
  return std::all_of(verdicts.begin(), verdicts.end(), [](const Verdict& v) { return v.met; }) ? 0 : 1;
}

// The load alone, for tests/bench/size.sh.
int load_only(const BenchOptions& options) {
  Shared* shared = map_shared();
  if (shared == nullptr) return 1;
  std::vector<std::string> notes;
  const LoadOptions load{options.load_port, options.path, options.connections};
  auto process = LoadProcess::start(load, options.load_cpu, shared->load, notes);
  if (!process) return fail(process.error());
  shared->load.rate.store(options.load_rate);
  const double rate = measure_rate(shared->load, std::chrono::seconds(options.seconds));
  if (const Status alive = process->check(); !alive.ok()) return fail(alive.error());
  fmt::print("{} requests, {:.0f} requests/s\n", shared->load.answered.load(), rate);
  return 0;
}

int run_bench(BenchOptions options) {
  const std::vector<int> cpus = usable_cpus();
  const auto usable = [&](int cpu) { return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end(); };
  if (!usable(options.server_cpu) || !usable(options.load_cpu)) {
    fmt::print("skipped: needs CPU {} for the server and CPU {} for the load\n", options.server_cpu,
               options.load_cpu);
    return 77;
  }
  if (options.load_only) return load_only(options);
  if (const auto can = try_load(options.capture); !can.ok()) {
    fmt::print("skipped: {}\n", can.error().what);
    return 77;
  }
  std::vector<std::string> notes;
  // The measuring process reads two counters at once: it must not be preempted in between.
  auto pid = fork_placed(options.load_cpu, notes, [&] {
    const int code = Bench(options, {}).run();
    std::fflush(stdout);
    return code;
  });
  if (!pid) return fail(pid.error());
  bench_pid = *pid;
  for (int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, pass_on);
  for (const std::string& note : notes) fmt::print("note: {}: expect more noise\n", note);
  std::fflush(stdout);
  int status = 0;
  while (::waitpid(*pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace
}  // namespace srvprof

int main(int argc, char** argv) {
  std::string message;
  const auto options = srvprof::parse_options(argc, argv, message);
  if (options) return srvprof::run_bench(*options);
  std::fputs(srvprof::kUsage, message.empty() ? stdout : stderr);
  if (message.empty()) return 0;
  fmt::print(stderr, "overhead_bench: {}\n", message);
  return 2;
}
