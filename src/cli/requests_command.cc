// srvprof requests: single requests, one ledger each.
#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"
#include "render/all.h"

namespace srvprof {
namespace {

constexpr std::uint64_t kDefaultSlowest = 20;

constexpr Example kExamples[] = {
    {"srvprof requests run.srvprof --slowest 5", "the five slowest, and what they waited for"},
    {"srvprof requests run.srvprof --route /health --phase steady", "of one route and phase"},
    {"srvprof requests run.srvprof --id 4711", "one request by its number"},
};

constexpr Option kOptions[] = {
    {"slowest", 0, "N", "how many, slowest first (20)"},
    {"id", 0, "ID", "this request: its number in the CSV, or in a report", true},
    kRouteOption,
    kPhaseOption,
    kPhasesOption,
    kOutputOption,
    kForceOption,
};

Result<Report> by_id(const Args& args, const Trace& trace) {
  Report report;
  for (const std::string& text : args.all("id")) {
    Args one;
    one.values["id"] = {text};
    const std::uint64_t id = TRY(one.number("id", 0, 1, trace.requests.size()));
    report.exemplars.push_back(exemplar_of(trace, RequestId{static_cast<std::uint32_t>(id)}));
  }
  return report;
}

Result<int> run(const Args& args, Console& console) {
  const std::uint64_t slowest = TRY(args.number("slowest", kDefaultSlowest, 1, 1'000'000));
  const Trace trace = TRY(open_recording(args, 0, console));
  ReportOptions options = TRY(report_options(args, trace));
  options.exemplars = slowest;
  Report report = args.has("id") ? TRY(by_id(args, trace)) : analyze(trace, args.words[0], options);
  // Behind the slowest ones stand those at the percentiles, for comparison.
  if (!args.has("id") && report.exemplars.size() > slowest) report.exemplars.resize(slowest);
  Output out = TRY(Output::create(args.text("output", "-"), args.has("force")));
  RenderOptions render = render_options(args, console);
  render.color = render.color && out.is_stdout();
  TRY(render_requests(Document{&trace, &report, {}}, render,
                      [&](std::string_view bytes) { return out.write(bytes); }));
  TRY(out.commit());
  TRY(print_link(args.text("output", "-")));
  return 0;
}

}  // namespace

extern const Command kRequestsCommand;
const Command kRequestsCommand = {
    .name = "requests",
    .summary = "show single requests, each with its own ledger",
    .arguments = "RECORDING [--slowest N] [--route ROUTE] [options]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 1,
    .most_words = 1,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
