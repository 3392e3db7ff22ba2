#include "render/all.h"

namespace srvprof {
namespace {

constexpr unsigned kReportAndTrace = Format::kReport | Format::kTrace;

constexpr Format kFormats[] = {
    {"text", ".txt", "the report for a terminal", kReportAndTrace, render_text},
    {"html", ".html", "one self-contained page: verdict, ledgers, exemplars, flame graphs",
     kReportAndTrace | Format::kFlames, render_html},
    {"json", ".json", "the report for programs (srvprof.report/1; see report --json-schema)",
     kReportAndTrace, render_json},
    {"csv", ".csv", "one row a request: times, phases and states of its ledger in ns",
     kReportAndTrace, render_csv},
    {"threads-csv", ".threads.csv", "one row a thread: CPU, run-queue and throttled time in ns",
     Format::kTrace, render_threads_csv},
    {"folded", ".folded", "stacks, one a line, with their weight: for other flame graph tools",
     Format::kFlames, render_folded},
    {"flamegraph", ".svg", "interactive flame graph: zoom, search, works offline", Format::kFlames,
     render_flamegraph},
};

bool ends_with(std::string_view s, std::string_view tail) {
  return s.size() > tail.size() && s.substr(s.size() - tail.size()) == tail;
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const Format* format_of_path(std::string_view path) {
  const Format* best = nullptr;  // ".threads.csv" before ".csv"
  for (const Format& format : kFormats) {
    if (!ends_with(path, format.extension)) continue;
    if (best == nullptr || format.extension.size() > best->extension.size()) best = &format;
  }
  return best;
}

Time Document::origin() const {
  if (trace != nullptr && known(trace->t_begin)) return trace->t_begin;
  if (report != nullptr && !report->phases.empty()) return report->phases.front().begin;
  return {};
}

std::string render_to_string(const Format& format, const Document& document,
                             const RenderOptions& options) {
  std::string out;
  const Status status = format.render(document, options, [&](std::string_view bytes) -> Status {
    out += bytes;
    return {};
  });
  return status.ok() ? out : std::string();
}

}  // namespace srvprof
