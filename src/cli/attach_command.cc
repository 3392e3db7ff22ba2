// srvprof attach and record: a recording of a running server, and its report.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/report_folder.h"
#include "cli/signals.h"
#include "cli/target_choice.h"
#include "collect/session.h"
#include "render/layout.h"
#include "render/numbers.h"

namespace srvprof {
namespace {

constexpr Duration kPlainProgress = std::chrono::seconds(10);  // where stderr is no terminal

constexpr Example kExamples[] = {
    {"sudo srvprof attach --port 3000 -d 30s", "start the load when it says so"},
    {"sudo srvprof attach -p 4242 -- wrk -c64 -d30s http://127.0.0.1:3000/",
     "srvprof starts the load, as the user behind sudo"},
    {"sudo srvprof attach --name 'node*' --follow-children -o run.srvprof",
     "a cluster, until Ctrl-C; run.srvprof and the folder run/ are written"},
};
constexpr Example kRecordExamples[] = {
    {"sudo srvprof record --port 3000 -d 30s -o run.srvprof", "srvprof report run.srvprof later"},
};

constexpr Option kOptions[] = {
    {"pid", 'p', "PID", "the process; may be repeated, or given without -p", true},
    {"tid", 't', "TID", "the process that this thread belongs to"},
    {"cgroup", 'c', "PATH", "every process of this cgroup: /system.slice/web.service"},
    {"port", 0, "PORT", "the process that listens on this TCP port"},
    {"name", 0, "PATTERN", "the process with this name: node, 'gunicorn*'"},
    {"duration", 'd', "TIME", "10, 10s, 500ms, 2m; without it until Ctrl-C, or the load command's end"},
    {"output", 'o', "FILE", "the recording; otherwise srvprof-COMM-PID-UTC.srvprof"},
    kForceOption,
    {"follow-children", 0, "", "also child processes, now and later (cluster, prefork)"},
    {"client", 0, "", "also the load generator's end of connections, if it runs here"},
    {"no-client", 0, "", "not the load command's end either, which is by default"},
    {"frequency", 'F', "HZ", "samples of running code a second and CPU, 0 to 999 (99)"},
    {"capture", 0, "WAY", "how socket calls are seen: auto (best), sock, perf, fexit, kprobe or sys"},
    {"full", 0, "", "every off-CPU stack, and interrupts; costs more"},
    {"histogram", 0, "", "counts and the tail only; costs least"},
    {"irq", 0, "", "interrupts and softirqs on top of the target"},
    {"gc-assists", 0, "", "time each assist of Go's collector: 10 us each, up to 5 % of a CPU"},
    {"jvm-perf-map", 0, "", "ask a JVM to list its compiled code: writes on the target's side"},
    {"keep-query", 0, "", "keep query strings: they may hold tokens"},
    {"buffer", 0, "SIZE", "ring between kernel and srvprof: 64M; chosen by the target otherwise"},
    {"max-overhead", 0, "PERCENT",
     "end when srvprof takes more of the target's CPU time (50); 0 = never"},
    {"dry-run", 0, "", "list each probe and its expected cost, attach nothing"},
    {"no-report", 0, "", "record only"},
    kLoadOption,
    kStatsOption,
};
// All but the last three, which are about the report.
constexpr std::span<const Option> kRecordOptions =
    std::span(kOptions).first(std::size(kOptions) - 3);

// "srvprof-node-4242-20250131T120000Z.srvprof"
std::string default_name(const ProcessInfo& target) {
  std::string comm;
  for (char c : target.comm) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '.' || c == '_' || c == '-';
    comm += plain ? c : '_';
  }
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char stamp[32] = "";
  (void)std::strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%SZ", &utc);
  return fmt::format("srvprof-{}-{}-{}.srvprof", comm, target.pid, stamp);
}

Result<CaptureOptions> capture_options(const Args& args, const std::vector<ProcessInfo>& targets) {
  CaptureOptions options;
  for (const ProcessInfo& target : targets) {
    options.pids.push_back(static_cast<std::uint32_t>(target.pid));
  }
  if (args.has("histogram")) {
    return Error{"recording with --histogram: this version cannot count without recording",
                 "leave it out: the default mode costs little (--dry-run says how much)",
                 ErrorKind::kKernel};
  }
  options.output = args.text("output", default_name(targets.front()));
  options.frequency =
      static_cast<unsigned>(TRY(args.number("frequency", options.frequency, 0, 999)));
  if (args.has("buffer")) options.ring_bytes = TRY(parse_size(args.text("buffer")));
  options.capture = args.text("capture", options.capture);
  const std::vector<std::string> ways = capture_ways();
  if (std::find(ways.begin(), ways.end(), options.capture) == ways.end()) {
    return usage_error(fmt::format("--capture {}: not one of {}", escape_text(options.capture),
                                   fmt::join(ways, ", ")));
  }
  options.full = args.has("full");
  options.irq = args.has("irq") || options.full;
  options.keep_query = args.has("keep-query");
  options.gc_assists = args.has("gc-assists");
  options.jvm_perf_map = args.has("jvm-perf-map");
  options.follow_children = args.has("follow-children");
  if (args.has("max-overhead")) {
    options.max_overhead =
        static_cast<double>(TRY(args.number("max-overhead", 0, 0, 1000))) / 100;
  }
  if (args.has("client") && args.has("no-client")) {
    return usage_error("attach: --client and --no-client ask for opposites", "leave one out");
  }
  if (args.has("client")) options.clients = CaptureOptions::Clients::kAll;
  if (args.has("no-client")) options.clients = CaptureOptions::Clients::kNone;
  if (args.has("duration")) options.duration = TRY(parse_duration(args.text("duration")));
  options.load_argv = args.load;
  options.command_line = args.command_line;
  const FileOwner owner = file_owner();
  options.owner_uid = owner.uid;
  options.owner_gid = owner.gid;
  return options;
}

// Why the recording is over, for people; what else there is says it in words already.
std::string end_words(const std::string& reason) {
  if (reason == "duration") return "its time is over";
  if (reason == "signal") return "stopped by a signal";
  if (reason == "load-end") return "the load command has ended";
  if (reason == "target-exit") return "the server has ended";
  return escape_text(reason);
}

// Nothing is started when its result could not be written.
Status check_output(const Args& args, const CaptureOptions& options, bool report) {
  if (options.output == "-") {
    return usage_error("attach: a recording cannot be written to stdout", "-o run.srvprof");
  }
  const bool force = args.has("force");
  const std::string folder = folder_of(options.output);
  if (!force && exists(options.output)) return exists_error("recording to", options.output);
  if (report && !force && exists(folder)) return exists_error("writing the report to", folder);
  return {};
}

std::string rate_text(double rate) {
  return rate < 1000 ? fmt::format("{:.0f}/s", rate) : fmt::format("{:.1f}k/s", rate / 1000);
}

// "00:12/00:30 req 412,340 (27.4k/s) p50 0.8 ms p99 41 ms loss 0 | steady since 00:04"
std::string progress_text(const Progress& progress, const std::optional<Duration>& whole) {
  return fmt::format("{}{} req {} ({}) p50 {} ms p99 {} ms loss {} | {} since {}",
                     clock_text(progress.elapsed), whole ? "/" + clock_text(*whole) : "",
                     count_text(progress.requests), rate_text(progress.rate), ms_text(progress.p50),
                     ms_text(progress.p99), count_text(progress.lost), progress.stage,
                     clock_text(progress.stage_since));
}

CaptureHooks hooks_for(Console& console, const std::optional<Duration>& whole) {
  CaptureHooks hooks;
  hooks.message = [&console](const std::string& text) { console.message(text); };
  hooks.progress = [&console, whole, next = kPlainProgress](const Progress& progress) mutable {
    if (console.progress_line()) {
      console.progress(progress_text(progress, whole));
    } else if (progress.elapsed >= next) {
      console.message(progress_text(progress, whole));
      next = progress.elapsed - progress.elapsed % kPlainProgress + kPlainProgress;
    }
  };
  hooks.stop_requested = [] { return SignalGuard::count(); };
  return hooks;
}

Result<int> dry_run(const CaptureOptions& options, Console& console) {
  const Paint paint(console.color());
  using Align = TextTable::Align;
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft});
  table.row({"PROBE", "COST", "WHAT FOR"});
  for (const ProbeInfo& probe : list_probes(options.capture)) {
    table.row({probe.name, probe.cost, probe.purpose + (probe.optional ? " (optional)" : "")});
  }
  std::string pids;
  for (std::uint32_t pid : options.pids) pids += fmt::format(" {}", pid);
  TRY(write_stdout(
      table.text("", paint) +
      fmt::format("dry run: nothing was attached to pid{}; it would be recorded to {}\n", pids,
                  escape_text(options.output))));
  return 0;
}

// The text to stdout and everything else beside the recording: the one is wanted, too, when the
// other cannot be written.
Status print_report(const Args& args, Console& console, const CaptureResult& result) {
  const Trace trace = TRY(open_recording(result.path, console));
  // Written by the load meanwhile: what is wrong with such a file must not cost the report.
  const Result<std::vector<LoadInput>> loads = load_inputs(args);
  if (!loads.ok()) console.warning(loads.error().what);
  ReportOptions options;
  if (loads.ok()) options.loads = &*loads;
  const Report report = analyze(trace, result.path, options);
  const Status text = render_document(*find_format("text"), Document{&trace, &report, {}},
                                      render_options(args, console), {});
  const std::string page = TRY(write_report_folder(trace, report, result.path, args.has("force")));
  TRY(text);
  return write_stdout(fmt::format("\nrecording {}\n{}\n", escape_text(absolute_path(result.path)),
                                  file_link(page)));
}

Result<CaptureResult> run_capture(const CaptureOptions& options, Console& console) {
  const SignalGuard signals;
  Result<CaptureResult> result = capture(options, hooks_for(console, options.duration));
  console.progress("");
  return result;
}

Result<int> attach(const Args& args, Console& console, bool report) {
  const std::vector<ProcessInfo> targets = TRY(chosen_targets(args));
  const CaptureOptions options = TRY(capture_options(args, targets));
  if (args.has("dry-run")) return dry_run(options, console);
  TRY(check_output(args, options, report));
  if (args.has("force") && exists(options.output)) std::remove(options.output.c_str());
  const CaptureResult result = TRY(run_capture(options, console));
  console.message(fmt::format("recorded {} requests, {} lost ({})", count_text(result.requests),
                              count_text(result.lost), end_words(result.end_reason)));
  if (report) {
    TRY(print_report(args, console, result));
  } else {
    TRY(write_stdout(file_link(result.path) + '\n'));
  }
  if (!result.incomplete) return 0;
  if (!result.watchdog.empty()) {
    console.warning("recording: ended by the watchdog: " + result.watchdog +
                    "; see --max-overhead");
    return static_cast<int>(ErrorKind::kIncomplete);
  }
  console.warning("recording: more was lost than the report can be trusted with (see COVERAGE)");
  return static_cast<int>(ErrorKind::kIncomplete);
}

Result<int> run_attach(const Args& args, Console& console) {
  return attach(args, console, !args.has("no-report"));
}

Result<int> run_record(const Args& args, Console& console) { return attach(args, console, false); }

}  // namespace

extern const Command kAttachCommand, kRecordCommand;
const Command kAttachCommand = {
    .name = "attach",
    .summary = "record a running server, then report: the main job (needs root)",
    .arguments = "{-p PID | --port PORT | --name PATTERN} [options] [-- LOAD COMMAND ...]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 0,
    .most_words = 64,
    .word = "PID",
    .takes_load = true,
    .run = run_attach,
};
const Command kRecordCommand = {
    .name = "record",
    .summary = "the same as attach --no-report",
    .arguments = "{-p PID | --port PORT | --name PATTERN} [options] [-- LOAD COMMAND ...]",
    .examples = kRecordExamples,
    .options = kRecordOptions,
    .least_words = 0,
    .most_words = 64,
    .word = "PID",
    .takes_load = true,
    .run = run_record,
};

}  // namespace srvprof
