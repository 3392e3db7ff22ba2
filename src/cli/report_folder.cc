#include "cli/report_folder.h"

#include <fmt/format.h>

#include <span>

#include "cli/document.h"
#include "cli/output.h"

namespace srvprof {

std::string folder_of(const std::string& recording) { return stem_of(recording); }

Result<std::string> write_report_folder(const Trace& trace, const Report& report,
                                        const std::string& recording, bool force) {
  const std::string folder = folder_of(recording);
  if (!force || !exists(folder)) TRY(make_folder(folder));
  const std::vector<FlameData> flames = page_flames(trace, {});
  const auto write = [&](std::string_view format, std::string_view name,
                         std::span<const FlameData> graphs) -> Status {
    const Format& f = *find_format(format);
    return render_document(f, Document{&trace, &report, graphs}, {},
                           {fmt::format("{}/{}", folder, name), force});
  };
  TRY(write("html", "report.html", flames));
  TRY(write("json", "summary.json", {}));
  for (std::size_t i = 0; i < flames.size(); ++i) {
    const std::string name(page_graphs()[i].name);
    TRY(write("flamegraph", name + ".svg", std::span(&flames[i], 1)));
    TRY(write("folded", name + ".folded", std::span(&flames[i], 1)));
  }
  return folder + "/report.html";
}

}  // namespace srvprof
