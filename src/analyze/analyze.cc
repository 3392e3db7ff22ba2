// The table of contents of the analysis.
#include "analyze/analyze.h"

#include <algorithm>

#include "analyze/causes/client_side.h"
#include "analyze/collections.h"
#include "analyze/coverage.h"
#include "analyze/exemplars.h"
#include "analyze/explain.h"
#include "analyze/facts.h"
#include "analyze/groups.h"
#include "analyze/load_side.h"
#include "analyze/machine.h"
#include "analyze/phases.h"
#include "analyze/verdict.h"

namespace srvprof {
namespace {

// The run-wide finding comes first in the largest group: what clients saw was not made here.
void add_client_side(const Trace& trace, const Facts& facts, const std::optional<ClientView>& view,
                     std::vector<GroupData>& groups) {
  const auto largest = std::max_element(
      groups.begin(), groups.end(),
      [](const GroupData& a, const GroupData& b) { return a.out.requests < b.out.requests; });
  if (largest == groups.end() || largest->members.empty()) return;
  const std::size_t p99 = rank_of(99, largest->members.size());
  const Duration value = trace.request(largest->members[p99]).latency();
  if (auto finding = client_side_finding(trace, facts, view ? &*view : nullptr, value)) {
    largest->out.findings.insert(largest->out.findings.begin(), std::move(*finding));
  }
}

}  // namespace

Report analyze_with(const Trace& trace, const TileSource& source, const std::string& file,
                    const ReportOptions& options) {
  Report report;
  report.phases = load_phases(trace);
  add_phase_use(trace, report.phases);
  const Facts facts = facts_of(trace, report.phases);
  std::vector<GroupData> groups = groups_of(trace, report.phases, options);
  for (GroupData& g : groups) {
    const LoadPhase& phase = report.phases[g.phase];
    explain({trace, facts, phase.begin, phase.end, g.route, g.first, 0}, source, g);
  }
  report.client = client_view(trace, report.phases);
  add_client_side(trace, facts, report.client, groups);
  order_groups(groups);
  report.header = header_of(trace, facts, file);
  report.verdict = verdict_of(trace, facts, report.phases, groups, options);
  report.exemplars = exemplars_of(trace, source, groups, options);
  report.coverage = coverage_of(trace, report.header, groups);
  report.collections = collections_of(trace, trace.t_begin, trace.t_end);
  report.machine = facts.machine;
  report.loads = load_views(trace, facts, report.phases, options);
  for (GroupData& g : groups) report.groups.push_back(std::move(g.out));
  return report;
}

Report analyze(const Trace& trace, const std::string& file, const ReportOptions& options) {
  const TileSource source = [](const Trace& t, RequestId id, std::vector<Tile>& out) {
    tiles_of(t, id, out);
  };
  return analyze_with(trace, source, file, options);
}

}  // namespace srvprof
