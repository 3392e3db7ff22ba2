// Phases, machine, coverage and srvprof's own cost.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "render/numbers.h"
#include "render/text_parts.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxProcesses = 6;

std::string level_text(const TextContext& context, CoverageLine::Level level) {
  switch (level) {
    case CoverageLine::Level::kInfo: return "note";
    case CoverageLine::Level::kNotMeasured: return context.paint.yellow("not measured");
    case CoverageLine::Level::kLoss: return context.paint.red("lost");
    case CoverageLine::Level::kCost: return "own cost";
  }
  return {};
}

std::string process_text(const MachineProcess& process) {
  return fmt::format(
      "{} (pid {}){} {}{}", escape_text(process.comm), process.pid,
      process.target ? ", the target" : (process.load_generator ? ", the load generator" : ""),
      decimal_text(process.cpus),
      process.runq >= 0.005 ? fmt::format(" +{} queued", decimal_text(process.runq)) : "");
}

}  // namespace

std::string text_phases(const TextContext& context) {
  const std::vector<LoadPhase>& phases = context.report.phases;
  if (phases.size() < 2 && !context.options.verbose) return {};
  std::string out;
  for (const LoadPhase& phase : phases) {
    std::string line = fmt::format(
        "{} {}-{} {} requests", escape_text(phase.name), clock_text(phase.begin - context.origin),
        clock_text(phase.end - context.origin), count_text(phase.requests));
    if (!phase.why.empty()) line += fmt::format(" ({})", escape_text(phase.why));
    if (phase.cpu_known) {
      line += fmt::format("; CPUs: target {}, load generator {}{}, all {}",
                          decimal_text(phase.target_cpus), decimal_text(phase.generator_cpus),
                          phase.generator_runq >= 0.005
                              ? fmt::format(" +{} queued", decimal_text(phase.generator_runq))
                              : "",
                          decimal_text(phase.machine_cpus));
    }
    out += wrap(out.empty() ? context.paint.bold("PHASES") + "   " : std::string(9, ' '), 11, line,
                context.options.width);
  }
  return out.empty() ? out : '\n' + out;
}

std::string text_machine(const TextContext& context) {
  const std::vector<MachineProcess>& machine = context.report.machine;
  if (machine.empty()) return {};
  std::string line;
  for (std::size_t i = 0; i < std::min(machine.size(), kMaxProcesses); ++i) {
    line += (i == 0 ? "" : "; ") + process_text(machine[i]);
  }
  const ReportHeader& header = context.report.header;
  line = fmt::format("{} CPU{}, used: {}", header.cpus, header.cpus == 1 ? "" : "s", line);
  return '\n' + wrap(context.paint.bold("MACHINE") + "  ", 9, line, context.options.width);
}

std::string text_coverage(const TextContext& context) {
  std::string out;
  for (const CoverageLine& line : context.report.coverage) {
    const std::string level = level_text(context, line.level);
    const std::string text = line.topic.empty()
                                 ? escape_text(line.text)
                                 : escape_text(line.topic) + ": " + escape_text(line.text);
    out += wrap("  " + level + ": ", 4, text, context.options.width);
  }
  return out.empty() ? out : '\n' + context.paint.bold("COVERAGE") + '\n' + out;
}

std::string text_own_cost(const TextContext& context) {
  const ReportHeader& header = context.report.header;
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kRight});
  table.row({"OWN COST", ""});
  const bool measured = to_ns(header.own_cost_per_request) != 0;
  table.row({"  in the kernel, a request",
             measured ? duration_text(header.own_cost_per_request) : "not measured"});
  table.row({"  collector, of one CPU", percent_text(header.collector_cpu_share)});
  table.row({"  collector, memory", bytes_text(header.collector_rss_bytes)});
  table.row({"  through the ring", bytes_text(header.ring_bytes)});
  if (header.requests != 0) {
    table.row({"  through the ring, a request", bytes_text(header.ring_bytes / header.requests)});
  }
  table.row({"  connections recorded in full",
             header.governor_engaged ? fmt::format("1 in {} at worst", header.governor_max_one_in)
                                     : "all"});
  std::string out = '\n' + table.text("", context.paint);
  for (const auto& [reason, count] : header.losses) {
    out += fmt::format("  lost: {} {}\n", count_text(count), escape_text(reason));
  }
  return out;
}

}  // namespace srvprof
