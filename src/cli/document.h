// A recording, opened and looked at as the options of a command say.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/report.h"
#include "base/result.h"
#include "cli/args.h"
#include "cli/console.h"
#include "render/format.h"
#include "trace/model.h"

namespace srvprof {

// load_trace, and a warning for each damage that was found.
Result<Trace> open_recording(const std::string& path, Console& console);

// The recording that is the command's `index`th word, with the phases of --phases FILE.
Result<Trace> open_recording(const Args& args, std::size_t index, Console& console);

// A percentile from 50 to 99.99.
Result<double> percentile_option(const Args& args, std::string_view name, double fallback);

// --percentile, --route and --phase. A route may be given without its method. One that the
// recording does not have is a usage error that lists what there is.
Result<ReportOptions> report_options(const Args& args, const Trace& trace);

// The files of --load, read and understood.
Result<std::vector<LoadInput>> load_inputs(const Args& args);

// --on-cpu, --off-cpu, --wall, --tail, --diff, --route and --phase.
Result<FlameOptions> flame_options(const Args& args, const Trace& trace);

// The recording of --diff FILE; nothing for --diff body.
Result<std::optional<Trace>> flame_baseline(const Args& args, Console& console);

// The graphs of a report page and of a report folder.
struct PageGraph {
  std::string_view name;  // of its files, without extension
  FlameKind kind;
  bool tail, diff;  // of slow requests only; against ordinary ones
};
std::span<const PageGraph> page_graphs();

// One for each of page_graphs(), of the route and phase of `options`.
std::vector<FlameData> page_flames(const Trace& trace, const FlameOptions& options);

// "on-cpu", "off-cpu", "wall".
std::string_view name_of(FlameKind kind);

RenderOptions render_options(const Args& args, const Console& console);

// Where a rendering goes, and how it looks.
struct Destination {
  std::string path = "-";  // "-" = stdout
  bool force = false;      // replaces a file that exists
};
Status render_document(const Format& format, const Document& document, const RenderOptions& options,
                       const Destination& destination);

// The same, computing first what the format needs.
struct Rendering {
  const Format* format = nullptr;
  Destination destination;
  ReportOptions report;
  FlameOptions flame;
  std::vector<LoadInput> loads;         // of --load
  std::optional<Trace> flame_baseline;  // of --diff FILE: the graph is against it
  RenderOptions render;
};
Status render_trace(const Trace& trace, const std::string& file, const Rendering& rendering);

// "run" for "dir/run.srvprof": with the folder, without the extension.
std::string stem_of(const std::string& recording);

}  // namespace srvprof
