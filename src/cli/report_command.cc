// srvprof report: the report of a recording, in any format.
#include <fmt/format.h>

#include "base/escape.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"
#include "render/all.h"

namespace srvprof {

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const Format& format : formats()) out.emplace_back(format.name);
  return out;
}

namespace {

constexpr Example kExamples[] = {
    {"srvprof report run.srvprof", "the verdict and what it rests on"},
    {"srvprof report run.srvprof --route /health --percentile 99.9", "one route, the worst of it"},
    {"srvprof report run.srvprof -o report.html", "one page for the browser"},
    {"srvprof report run.srvprof --load hey.csv", "beside what the load generator measured"},
};

constexpr Option kOptions[] = {
    kRouteOption,
    kPhaseOption,
    kPhasesOption,
    kPercentileOption,
    kLoadOption,
    kFormatOption,
    kJsonOption,
    kOutputOption,
    kForceOption,
    kStatsOption,
    {"json-schema", 0, "", "print the schema of the JSON report"},
};

// --format, --json, or the extension of -o; text otherwise.
Result<const Format*> chosen_format(const Args& args) {
  if (args.has("json") && args.has("format") && args.text("format") != "json") {
    return usage_error("--json and --format exclude each other");
  }
  if (args.has("json")) return find_format("json");
  if (args.has("format")) return find_format(args.text("format"));
  const std::string path = args.text("output", "-");
  if (path == "-") return find_format("text");
  if (const Format* format = format_of_path(path)) return format;
  return usage_error(fmt::format("-o {}: its extension is of no format", escape_text(path)),
                     "give --format, or one of .txt .html .json .csv .svg .folded");
}

Result<int> run(const Args& args, Console& console) {
  if (args.has("json-schema")) {
    TRY(write_stdout(json_schema()));
    return 0;
  }
  if (args.words.empty()) {
    return usage_error("report: RECORDING is missing", "srvprof report RECORDING");
  }
  Rendering rendering;
  rendering.format = TRY(chosen_format(args));
  rendering.destination.path = args.text("output", "-");
  rendering.destination.force = args.has("force");
  if (rendering.destination.path != "-" && !rendering.destination.force &&
      exists(rendering.destination.path)) {
    TRY(Output::create(rendering.destination.path,
                       false));  // before the work: a device may exist, a file not
  }
  rendering.loads = TRY(load_inputs(args));
  const Trace trace = TRY(open_recording(args, 0, console));
  rendering.report = TRY(report_options(args, trace));
  rendering.flame = TRY(flame_options(args, trace));
  rendering.render = render_options(args, console);
  TRY(render_trace(trace, args.words[0], rendering));
  TRY(print_link(rendering.destination.path));
  return 0;
}

}  // namespace

extern const Command kReportCommand;
const Command kReportCommand = {
    .name = "report",
    .summary = "say why the slow requests of a recording were slow",
    .arguments = "RECORDING [options]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 0,
    .most_words = 1,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
