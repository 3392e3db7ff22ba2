#include "cli/report_folder.h"

#include <fmt/format.h>

#include "cli/document.h"
#include "cli/output.h"

namespace srvprof {
namespace {

struct Graph {
  std::string_view name;
  FlameKind kind;
  double tail;
  bool diff;
};

constexpr Graph kGraphs[] = {
    {"on-cpu", FlameKind::kOnCpu, 0, false},
    {"on-cpu-diff", FlameKind::kOnCpu, 99, true},
    {"off-cpu", FlameKind::kOffCpu, 0, false},
    {"wall-tail", FlameKind::kWall, 99, false},
};

Status write_one(const Trace& trace, const std::string& recording, Rendering rendering,
                 std::string_view format, const std::string& path) {
  rendering.format = find_format(format);
  rendering.path = path;
  return render_trace(trace, recording, rendering);
}

}  // namespace

std::string folder_of(const std::string& recording) { return stem_of(recording); }

Result<std::string> write_report_folder(const Trace& trace, const std::string& recording,
                                        bool force) {
  const std::string folder = folder_of(recording);
  if (!force || !exists(folder)) TRY(make_folder(folder));
  Rendering rendering;
  rendering.force = force;
  TRY(write_one(trace, recording, rendering, "html", folder + "/report.html"));
  TRY(write_one(trace, recording, rendering, "json", folder + "/summary.json"));
  for (const Graph& graph : kGraphs) {
    rendering.flame = FlameOptions{};
    rendering.flame.kind = graph.kind;
    rendering.flame.tail_percentile = graph.tail;
    rendering.flame.diff_body = graph.diff;
    const std::string base = fmt::format("{}/{}", folder, graph.name);
    TRY(write_one(trace, recording, rendering, "flamegraph", base + ".svg"));
    TRY(write_one(trace, recording, rendering, "folded", base + ".folded"));
  }
  return folder + "/report.html";
}

}  // namespace srvprof
