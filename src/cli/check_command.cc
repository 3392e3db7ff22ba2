// srvprof check: does a run keep its limits? For continuous integration.
#include <fmt/format.h>

#include "analyze/gate.h"
#include "base/escape.h"
#include "cli/command.h"
#include "cli/document.h"
#include "cli/options.h"
#include "cli/output.h"
#include "render/diff.h"

namespace srvprof {
namespace {

constexpr Example kExamples[] = {
    {"srvprof check run.srvprof --p99 '<40ms' --cause 'cpu-quota<10%'",
     "exit code 6 if a route of a phase under load does not keep one of them"},
    {"srvprof check run.srvprof --p99 '<40ms' --route /health --format junit -o check.xml",
     "one route, as a test report"},
};

std::vector<std::string> check_format_names() { return {"text", "json", "junit"}; }

constexpr std::string_view kLatencies[] = {"p50", "p90", "p95", "p99", "p99.9", "max"};

constexpr Option kOptions[] = {
    {"p50", 0, "LIMIT", "of the median: '<5ms'", true},
    {"p90", 0, "LIMIT", "of this percentile", true},
    {"p95", 0, "LIMIT", "of this percentile", true},
    {"p99", 0, "LIMIT", "of this percentile", true},
    {"p99.9", 0, "LIMIT", "of this percentile", true},
    {"max", 0, "LIMIT", "of the slowest request", true},
    {"cause", 0, "LIMIT", "of a cause's share of what slow requests take longer: 'lock<10%'", true},
    {"throughput", 0, "LIMIT", "of the requests a second of each route: '>1000'", true},
    {"errors", 0, "LIMIT", "of the share of failed requests: '<1%'", true},
    {"lost", 0, "LIMIT", "of the share that srvprof lost: '<0.1%'", true},
    kRouteOption,
    kPhaseOption,
    kPhasesOption,
    {"format", 0, "FORMAT", "text, json or junit", false, check_format_names},
    kJsonOption,
    kOutputOption,
    kForceOption,
};

Result<std::vector<Limit>> limits_of(const Args& args) {
  std::vector<Limit> out;
  for (const std::string_view name : kLatencies) {
    for (const std::string& text : args.all(name)) {
      out.push_back(TRY(parse_latency_limit(name, text)));
    }
  }
  for (const std::string& text : args.all("cause")) out.push_back(TRY(parse_cause_limit(text)));
  for (const std::string& text : args.all("throughput")) {
    out.push_back(TRY(parse_rate_limit("throughput", text)));
  }
  for (const std::string& text : args.all("errors")) {
    out.push_back(TRY(parse_share_limit(LimitKind::kErrors, "errors", text)));
  }
  for (const std::string& text : args.all("lost")) {
    out.push_back(TRY(parse_share_limit(LimitKind::kLost, "lost", text)));
  }
  if (out.empty()) {
    return usage_error("check: no limit is given", "srvprof check RECORDING --p99 '<40ms'");
  }
  return out;
}

// --format, --json, or the extension of -o.
std::string format_of(const Args& args) {
  if (args.has("json")) return "json";
  if (args.has("format")) return args.text("format");
  const std::string path = args.text("output");
  return path.ends_with(".json") ? "json" : path.ends_with(".xml") ? "junit" : "text";
}

Result<int> run(const Args& args, Console& console) {
  const std::vector<Limit> limits = TRY(limits_of(args));
  const Trace trace = TRY(open_recording(args, 0, console));
  ReportOptions options = TRY(report_options(args, trace));
  options.exemplars = 0;
  const Report report = analyze(trace, args.words[0], options);
  const Gate gate = check_limits(report, limits, options.phase);
  Output out = TRY(Output::create(args.text("output", "-"), args.has("force")));
  RenderOptions render = render_options(args, console);
  render.color = render.color && out.is_stdout();
  const std::string format = format_of(args);
  TRY(out.write(format == "json"    ? gate_json(gate, args.words[0])
                : format == "junit" ? gate_junit(gate, args.words[0])
                                    : gate_text(gate, args.words[0], render)));
  TRY(out.commit());
  return gate.passed ? 0 : static_cast<int>(ErrorKind::kIncomplete);
}

}  // namespace

extern const Command kCheckCommand;
const Command kCheckCommand = {
    .name = "check",
    .summary = "hold a recording against limits: exit code 6 if one is not kept",
    .arguments = "RECORDING --p99 LIMIT|--cause LIMIT|... [options]",
    .examples = kExamples,
    .options = kOptions,
    .least_words = 1,
    .most_words = 1,
    .word = "RECORDING",
    .run = run,
};

}  // namespace srvprof
