// srvprof flamegraph: an interactive flame graph of a recording.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"

namespace srvprof {
namespace {

constexpr Example kExamples[] = {
    {"srvprof flamegraph run.srvprof -o cpu.svg", "where the CPU time went"},
    {"srvprof flamegraph run.srvprof --off-cpu --tail 99 -o slow.svg",
     "what the slowest 1 % of the requests waited for"},
    {"srvprof flamegraph run.srvprof --diff body --route /health -o diff.svg",
     "what slow requests do more (red) and less (blue) than ordinary ones"},
    {"srvprof flamegraph new.srvprof --diff old.srvprof -o diff.svg",
     "what the new run does more and less than the old one, a request"},
};

constexpr Option kOptions[] = {
    kOnCpuOption, kOffCpuOption, kWallOption,   kTailOption,   kDiffOption,
    kRouteOption, kPhaseOption,  kPhasesOption, kOutputOption, kForceOption,
};

// "run.off-cpu.svg"
std::string default_path(const std::string& recording, const FlameOptions& options, bool diff) {
  return fmt::format("{}.{}{}.svg", stem_of(recording), name_of(options.kind),
                     diff                          ? ".diff"
                     : options.tail_percentile > 0 ? ".tail"
                                                   : "");
}

Result<int> run(const Args& args, Console& console) {
  const Trace trace = TRY(open_recording(args, 0, console));
  Rendering rendering;
  rendering.flame = TRY(flame_options(args, trace));
  rendering.destination.path =
      args.text("output", default_path(args.words[0], rendering.flame, args.has("diff")));
  rendering.destination.force = args.has("force");
  rendering.format =
      find_format(rendering.destination.path.ends_with(".folded") ? "folded" : "flamegraph");
  rendering.flame_baseline = TRY(flame_baseline(args, console));
  TRY(render_trace(trace, args.words[0], rendering));
  TRY(print_link(rendering.destination.path));
  return 0;
}

}  // namespace

extern const Command kFlamegraphCommand;
const Command kFlamegraphCommand = {
    .name = "flamegraph",
    .summary = "draw an interactive flame graph: on CPU, off CPU, or the requests' whole time",
    .arguments = "RECORDING [--on-cpu|--off-cpu|--wall] [options]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 1,
    .most_words = 1,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
