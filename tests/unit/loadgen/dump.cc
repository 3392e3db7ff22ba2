#include "dump.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

namespace srvprof {
namespace {

std::string show(const std::optional<std::uint64_t>& n) { return n ? std::to_string(*n) : "-"; }
std::string show(const std::optional<Duration>& d) { return d ? std::to_string(d->count()) : "-"; }
std::string show(Duration d) { return d == kNotTold ? "-" : std::to_string(d.count()); }
std::string show(const std::optional<Figure>& f) {
  return f ? fmt::format("{} +-{}", f->value.count(), f->resolution.count()) : "-";
}

std::string_view show(TimeBase base) {
  switch (base) {
    case TimeBase::kNone: return "none";
    case TimeBase::kWallClock: return "wall clock";
    case TimeBase::kMonotonic: return "monotonic";
    case TimeBase::kToolStart: return "tool start";
  }
  return "?";
}

std::string_view show(LatencyKind kind) {
  switch (kind) {
    case LatencyKind::kAsSent: return "as sent";
    case LatencyKind::kAsIntended: return "as intended";
    case LatencyKind::kCorrected: return "corrected";
  }
  return "?";
}

std::string show(std::string_view name, const LatencySummary& s) {
  std::string out =
      fmt::format("{}: count {} min {} mean {} stddev {} max {}\n", name, show(s.count),
                  show(s.min), show(s.mean), show(s.stddev), show(s.max));
  for (const ClientPercentile& p : s.percentiles) {
    out += fmt::format("  p{} {}\n", p.percent, show(std::optional(p.latency)));
  }
  return out;
}

std::string show(const ClientCounts& c) {
  std::string out = fmt::format(
      "counts: requests {} (to {}) answered {} unanswered {} failed {} timeouts {} http errors "
      "{}\n",
      show(c.requests), c.rounded_to, show(c.answered), show(c.unanswered), show(c.tool_failed),
      show(c.timeouts), show(c.http_errors));
  for (const StatusCount& s : c.status) out += fmt::format("  status {}: {}\n", s.status, s.count);
  for (const ErrorCount& e : c.errors) out += fmt::format("  error {}: {}\n", e.count, e.text);
  return out;
}

std::string show(const ClientRun& run, const ClientSample& s) {
  return fmt::format(
      "  start {} latency {} first byte {} connect {} due {} status {}{} conn {} {}\n",
      s.start.count(), show(s.latency), show(s.first_byte), show(s.connect), show(s.due), s.status,
      s.failed ? " failed" : "", s.connection == kNoConnection ? "-" : std::to_string(s.connection),
      run.paths.at(s.path));
}

}  // namespace

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.is_open()) << path;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string read_sample(std::string_view name) {
  return read_text(fmt::format(SRVPROF_FIXTURES "/loadgen/{}", name));
}

std::vector<std::string> sample_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(SRVPROF_FIXTURES "/loadgen")) {
    const std::string name = entry.path().filename().string();
    if (name != "README.md") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string dump_run(const ClientRun& run) {
  std::string out = fmt::format("tool {} format {}\ntarget {}\n", run.tool, run.format,
                                run.target.empty() ? "-" : run.target);
  out += show(run.counts);
  out += fmt::format("kind {}, connect in latency: {}\n", show(run.kind),
                     run.latency_has_connect ? (*run.latency_has_connect ? "yes" : "no") : "-");
  out += show(run.summary_from_samples ? "latency of the samples" : "latency", run.latency);
  if (run.as_sent) out += show("as sent", *run.as_sent);
  out += fmt::format("duration {} connections {} threads {} started {} finished {}\n",
                     show(run.duration), show(run.connections), show(run.threads),
                     show(run.started), show(run.finished));
  if (run.time_base != TimeBase::kNone) {
    out += fmt::format("samples {} by {} +-{}, latency +-{}\n", run.samples.size(),
                       show(run.time_base), run.time_resolution.count(),
                       run.latency_resolution.count());
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(3, run.samples.size()); ++i) {
    out += show(run, run.samples[i]);
  }
  for (const std::string& note : run.notes) out += fmt::format("note: {}\n", note);
  return out;
}

ClientRun import_text_ok(std::string_view text, std::string_view hint) {
  Result<ClientRun> run = import_run(text, hint);
  EXPECT_TRUE(run.ok()) << hint << ": " << (run.ok() ? "" : run.error().what);
  return run.ok() ? std::move(*run) : ClientRun{};
}

ClientRun import_sample(std::string_view name) { return import_text_ok(read_sample(name), name); }

long long percentile_ns(const LatencySummary& summary, double percent) {
  for (const ClientPercentile& p : summary.percentiles) {
    if (p.percent == percent) return p.latency.value.count();
  }
  return -1;
}

bool has_note(const ClientRun& run, std::string_view part) {
  return std::any_of(run.notes.begin(), run.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace srvprof
