// srvprof export: a recording in a format of other programs.
#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"

namespace srvprof {
namespace {

constexpr Example kExamples[] = {
    {"srvprof export run.srvprof --format csv -o requests.csv", "every request with its ledger"},
    {"srvprof export run.srvprof --format folded --off-cpu -o -", "stacks for another tool"},
};

constexpr Option kOptions[] = {
    kFormatOption,     kOutputOption, kForceOption,  kRouteOption, kPhaseOption, kPhasesOption,
    kPercentileOption, kOnCpuOption,  kOffCpuOption, kWallOption,  kTailOption,  kDiffOption,
};

Result<int> run(const Args& args, Console& console) {
  if (!args.has("output")) {
    return usage_error("export: -o FILE is missing", "-o - is stdout");
  }
  Rendering rendering;
  rendering.destination.path = args.text("output");
  rendering.destination.force = args.has("force");
  rendering.format = args.has("format") ? find_format(args.text("format"))
                                        : format_of_path(rendering.destination.path);
  if (rendering.format == nullptr) {
    return usage_error("export: --format FORMAT is missing", "srvprof list formats");
  }
  const Trace trace = TRY(open_recording(args, 0, console));
  rendering.report = TRY(report_options(args, trace));
  rendering.flame = TRY(flame_options(args, trace));
  rendering.flame_baseline = TRY(flame_baseline(args, console));
  rendering.render = render_options(args, console);
  TRY(render_trace(trace, args.words[0], rendering));
  TRY(print_link(rendering.destination.path));
  return 0;
}

}  // namespace

extern const Command kExportCommand;
const Command kExportCommand = {
    .name = "export",
    .summary = "write a recording in a format of other programs",
    .arguments = "RECORDING --format FORMAT -o FILE [options]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 1,
    .most_words = 1,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
