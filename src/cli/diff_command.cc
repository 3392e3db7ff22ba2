// srvprof diff: what differs between two runs.
#include <fmt/format.h>

#include "analyze/compare.h"
#include "base/escape.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"
#include "render/diff.h"

namespace srvprof {
namespace {

constexpr Example kExamples[] = {
    {"srvprof diff before.srvprof after.srvprof",
     "throughput, latencies, causes, who had the CPUs"},
    {"srvprof diff before.srvprof after.srvprof --phase steady --json -o diff.json",
     "one phase, for programs"},
};

std::vector<std::string> diff_format_names() { return {"text", "json"}; }

constexpr Option kOptions[] = {
    {"format", 0, "FORMAT", "text or json", false, diff_format_names},
    kJsonOption,
    kPhaseOption,
    kPhasesOption,
    {"mix-phases", 0, "", "all of the load as one phase, also where phases do not match"},
    kPercentileOption,
    kOutputOption,
    kForceOption,
};

Result<int> run(const Args& args, Console& console) {
  const Trace a = TRY(open_recording(args, 0, console));
  const Trace b = TRY(open_recording(args, 1, console));
  ReportOptions report;
  report.tail_percentile = TRY(percentile_option(args, "percentile", report.tail_percentile));
  report.exemplars = 0;
  CompareOptions options;
  options.phase = args.text("phase");
  options.mix_phases = args.has("mix-phases");
  const Comparison comparison =
      compare(a, analyze(a, args.words[0], report), b, analyze(b, args.words[1], report), options);
  if (!comparison.refused.empty()) {
    return Error{"comparing: " + escape_text(comparison.refused), escape_text(comparison.hint)};
  }
  Output out = TRY(Output::create(args.text("output", "-"), args.has("force")));
  const bool json = args.has("json") || args.text("format") == "json" ||
                    (!args.has("format") && args.text("output").ends_with(".json"));
  RenderOptions render = render_options(args, console);
  render.color = render.color && out.is_stdout();
  TRY(out.write(json ? comparison_json(comparison) : comparison_text(comparison, render)));
  TRY(out.commit());
  TRY(print_link(args.text("output", "-")));
  return 0;
}

}  // namespace

extern const Command kDiffCommand;
const Command kDiffCommand = {
    .name = "diff",
    .summary = "say what differs between two runs, and what goes with it",
    .arguments = "RECORDING RECORDING [options]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 2,
    .most_words = 2,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
