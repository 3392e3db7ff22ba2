#include "cli/document.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "analyze/load_stages.h"
#include "analyze/phases.h"
#include "base/escape.h"
#include "cli/output.h"
#include "cli/suggest.h"
#include "cli/text_file.h"
#include "loadgen/loadgen.h"
#include "trace/load.h"

namespace srvprof {
namespace {

constexpr std::size_t kListed = 8;  // names in a hint
constexpr double kDefaultTail = 99;

// "a, b and 3 more"
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kListed); ++i) {
    out += (i == 0 ? "" : ", ") + escape_text(names[i]);
  }
  if (names.size() > kListed) out += fmt::format(" and {} more", names.size() - kListed);
  return out;
}

Error no_such(std::string_view what, const std::string& given,
              const std::vector<std::string>& known) {
  const std::string near = closest(given, known);
  return usage_error(
      fmt::format("--{} '{}': the recording has no such {}", what, escape_text(given), what),
      !near.empty()   ? fmt::format("did you mean '{}'?", escape_text(near))
      : known.empty() ? std::string("the recording holds none at all")
                      : "it has " + listed(known));
}

Result<std::string> resolve_route(const Args& args, const Trace& trace) {
  if (!args.has("route")) return std::string();
  const std::string given = args.text("route");
  std::vector<std::string> known(trace.routes.begin() + (trace.routes.empty() ? 0 : 1),
                                 trace.routes.end());
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  std::vector<std::string> same_path;
  for (const std::string& route : known) {
    const std::size_t blank = route.find(' ');
    if (blank != std::string::npos && route.substr(blank + 1) == given) same_path.push_back(route);
  }
  if (same_path.size() == 1) return same_path.front();
  if (same_path.size() > 1) {
    return usage_error(
        fmt::format("--route '{}': several routes have this path", escape_text(given)),
        "one of " + listed(same_path));
  }
  return no_such("route", given, known);
}

Result<std::string> resolve_phase(const Args& args, const Trace& trace) {
  if (!args.has("phase")) return std::string();
  const std::string given = args.text("phase");
  std::vector<std::string> known;
  for (const LoadPhase& phase : load_phases(trace)) known.push_back(phase.name);
  if (std::find(known.begin(), known.end(), given) != known.end()) return given;
  return no_such("phase", given, known);
}

// The columns of the terminal, within what the report is made for.
std::size_t terminal_width() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 100;
  return std::clamp<std::size_t>(size.ws_col, 80, 160);
}

}  // namespace

Result<Trace> open_recording(const std::string& path, Console& console) {
  Trace trace = TRY(load_trace(path));
  for (const std::string& damage : trace.read_damage) {
    console.warning(fmt::format("reading {}: {}", escape_text(path), escape_text(damage)));
  }
  return trace;
}

Result<Trace> open_recording(const Args& args, std::size_t index, Console& console) {
  Trace trace = TRY(open_recording(args.words[index], console));
  if (!args.has("phases")) return trace;
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  const std::string path = args.text("phases");
  const std::string text = TRY(read_text_file(path, kMostBytes));
  trace.phase_marks = TRY(parse_phases(trace, text, path));
  return trace;
}

Result<double> percentile_option(const Args& args, std::string_view name, double fallback) {
  if (!args.has(name)) return fallback;
  const std::string text = args.text(name);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(value >= 50 && value <= 99.99)) {
    return usage_error(
        fmt::format("--{} '{}': not a percentile from 50 to 99.99", name, escape_text(text)));
  }
  return value;
}

Result<ReportOptions> report_options(const Args& args, const Trace& trace) {
  ReportOptions options;
  options.tail_percentile = TRY(percentile_option(args, "percentile", options.tail_percentile));
  options.route = TRY(resolve_route(args, trace));
  options.phase = TRY(resolve_phase(args, trace));
  return options;
}

Result<std::vector<LoadInput>> load_inputs(const Args& args) {
  std::vector<LoadInput> out;
  for (const std::string& path : args.all("load")) {
    const std::string text = TRY(read_text_file(path, kMaxImportBytes));
    const std::string name =
        path.substr(path.rfind('/') == std::string::npos ? 0 : path.rfind('/') + 1);
    out.push_back({name, TRY(import_run(text, name))});
  }
  return out;
}

Result<FlameOptions> flame_options(const Args& args, const Trace& trace) {
  FlameOptions options;
  const int kinds = args.has("on-cpu") + args.has("off-cpu") + args.has("wall");
  if (kinds > 1) return usage_error("--on-cpu, --off-cpu and --wall exclude each other");
  if (args.has("off-cpu")) options.kind = FlameKind::kOffCpu;
  if (args.has("wall")) options.kind = FlameKind::kWall;
  options.tail_percentile = TRY(percentile_option(args, "tail", 0));
  options.diff_body = args.text("diff") == "body";
  if (options.diff_body && options.tail_percentile == 0) options.tail_percentile = kDefaultTail;
  options.route = TRY(resolve_route(args, trace));
  options.phase = TRY(resolve_phase(args, trace));
  return options;
}

Result<std::optional<Trace>> flame_baseline(const Args& args, Console& console) {
  if (!args.has("diff") || args.text("diff") == "body") return std::optional<Trace>();
  return std::optional<Trace>(TRY(open_recording(args.text("diff"), console)));
}

std::span<const PageGraph> page_graphs() {
  static constexpr PageGraph kGraphs[] = {
      {"on-cpu", FlameKind::kOnCpu, false, false},
      {"on-cpu-diff", FlameKind::kOnCpu, true, true},
      {"off-cpu", FlameKind::kOffCpu, false, false},
      {"wall-tail", FlameKind::kWall, true, false},
  };
  return kGraphs;
}

std::vector<FlameData> page_flames(const Trace& trace, const FlameOptions& options) {
  std::vector<FlameData> out;
  for (const PageGraph& graph : page_graphs()) {
    FlameOptions one = options;
    one.kind = graph.kind;
    one.tail_percentile = !graph.tail                    ? 0
                          : options.tail_percentile == 0 ? kDefaultTail
                                                         : options.tail_percentile;
    one.diff_body = graph.diff;
    out.push_back(flame(trace, one));
  }
  return out;
}

std::string_view name_of(FlameKind kind) {
  switch (kind) {
    case FlameKind::kOnCpu: return "on-cpu";
    case FlameKind::kOffCpu: return "off-cpu";
    case FlameKind::kWall: return "wall";
  }
  return {};
}

RenderOptions render_options(const Args& args, const Console& console) {
  RenderOptions options;
  options.color = console.color();
  options.stats = args.has("stats");
  options.verbose = console.verbose() > 0;
  options.width = terminal_width();
  return options;
}

Status render_document(const Format& format, const Document& document, const RenderOptions& options,
                       const Destination& destination) {
  Output out = TRY(Output::create(destination.path, destination.force));
  RenderOptions fitting = options;
  if (!out.is_stdout()) {
    fitting.color = false;
    fitting.width = RenderOptions{}.width;
  }
  TRY(format.render(document, fitting, [&](std::string_view bytes) { return out.write(bytes); }));
  return out.commit();
}

Status render_trace(const Trace& trace, const std::string& file, const Rendering& rendering) {
  const unsigned needs = rendering.format->needs;
  Report report;
  std::vector<FlameData> flames;
  ReportOptions options = rendering.report;
  options.loads = &rendering.loads;
  if ((needs & Format::kReport) != 0) report = analyze(trace, file, options);
  if ((needs & Format::kFlames) != 0) {
    if ((needs & Format::kReport) != 0) {
      flames = page_flames(trace, rendering.flame);
    } else if (rendering.flame_baseline) {
      flames = {flame_between(trace, *rendering.flame_baseline, rendering.flame)};
    } else {
      flames = {flame(trace, rendering.flame)};
    }
  }
  return render_document(*rendering.format, Document{&trace, &report, flames}, rendering.render,
                         rendering.destination);
}

std::string stem_of(const std::string& recording) {
  constexpr std::string_view kExtension = ".srvprof";
  return recording.ends_with(kExtension) && recording.size() > kExtension.size()
             ? recording.substr(0, recording.size() - kExtension.size())
             : recording + ".d";
}

}  // namespace srvprof
