// Findings: what the gap between slow and ordinary requests is made of.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "render/numbers.h"
#include "render/text_parts.h"

namespace srvprof {
namespace {

constexpr std::size_t kMaxCulprits = 5;

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : "; ") + escape_text(part);
  return out;
}

// "hog (pid 4310) 31.6 ms, 75 %"
std::string culprit_text(const Culprit& culprit) {
  std::string out = escape_text(culprit.what);
  if (!culprit.comm.empty()) {
    if (!out.empty()) out += ": ";
    out += escape_text(culprit.comm);
  }
  if (culprit.pid != 0) {
    out += fmt::format(
        "{}(pid {}{})", out.empty() ? "" : " ", culprit.pid,
        culprit.tid != 0 && culprit.tid != culprit.pid ? fmt::format(", tid {}", culprit.tid) : "");
  }
  if (!culprit.cgroup.empty()) out += " in " + shorten_middle(escape_text(culprit.cgroup), 40);
  return out +
         fmt::format(" {}, {}", duration_text(culprit.time), percent_text(culprit.share_of_gap));
}

std::string culprits_text(const std::vector<Culprit>& culprits) {
  std::string out;
  for (std::size_t i = 0; i < std::min(culprits.size(), kMaxCulprits); ++i) {
    out += (i == 0 ? "" : "; ") + culprit_text(culprits[i]);
  }
  if (culprits.size() > kMaxCulprits) {
    out += fmt::format("; {} more", culprits.size() - kMaxCulprits);
  }
  return out;
}

std::string finding_counts(const Finding& finding) {
  std::string out = duration_text(finding.gap);
  if (finding.share_is_of_client) {
    return fmt::format("{} a request (mean), a share of what clients waited outside the server", out);
  }
  out += finding.of_body ? " a request" : " of the gap";
  if (finding.stalls != 0) {
    out += fmt::format(", {} stall{}", count_text(finding.stalls), finding.stalls == 1 ? "" : "s");
  }
  if (finding.tail_requests != 0) {
    out += fmt::format(", {} of the {} {} requests", count_text(finding.requests),
                       count_text(finding.tail_requests), finding.of_body ? "ordinary" : "slow");
  }
  return out;
}

constexpr std::size_t kIndent = 11;

// "  1  78 %  run queue, behind this process's own threads"
std::string finding_title(const TextContext& context, const Finding& finding, std::size_t number,
                          std::string_view more) {
  const std::string share = fmt::format("{:>5}", percent_text(finding.share));
  return wrap(fmt::format("{:>3} {}  ", number, context.paint.bold(share)), kIndent,
              escape_text(finding.title) + std::string(more), context.options.width);
}

std::string finding_line(const TextContext& context, const Finding& finding, std::size_t number) {
  return finding_title(context, finding, number, ": " + finding_counts(finding));
}

std::string finding_text(const TextContext& context, const Finding& finding, std::size_t number) {
  const std::size_t width = context.options.width;
  const std::string margin(kIndent, ' ');
  std::string out = finding_title(context, finding, number, "");
  out += wrap(margin, kIndent, finding_counts(finding), width);
  for (const std::string& line : finding.evidence) {
    out += wrap(margin, kIndent, escape_text(line), width);
  }
  if (context.options.verbose && !finding.culprits.empty()) {  // the evidence names the worst
    out += wrap(margin + "who: ", kIndent + 5, culprits_text(finding.culprits), width);
  }
  if (!finding.ruled_out.empty()) {
    out += wrap(margin + "ruled out: ", kIndent + 2, joined(finding.ruled_out), width);
  }
  if (!finding.tries.empty()) {
    out +=
        wrap(margin + context.paint.green("try:") + " ", kIndent + 2, joined(finding.tries), width);
  }
  if (finding.p99_without) {
    out +=
        wrap(margin, kIndent,
             fmt::format("without it: p99 [{} .. {}] ms (estimate)",
                         ms_text(finding.p99_without->first), ms_text(finding.p99_without->second)),
             width);
  }
  return out;
}

}  // namespace

std::string text_group_findings(const TextContext& context, const Group& group, bool brief) {
  std::string gap, body;
  std::size_t gap_number = 0, body_number = 0;
  for (const Finding& finding : group.findings) {
    std::string& out = finding.of_body ? body : gap;
    std::size_t& number = finding.of_body ? body_number : gap_number;
    // What ordinary requests are made of is the main thing only where nothing else is.
    const bool line_only =
        !context.options.verbose && (brief || finding.of_body) && (brief || gap_number != 0);
    out += line_only ? finding_line(context, finding, ++number)
                     : finding_text(context, finding, ++number);
  }
  std::string out = gap;
  if (group.explained) {
    out += fmt::format("    {:>5}  unexplained\n", percent_text(group.unexplained_share));
  }
  if (!body.empty() && (!brief || context.options.verbose || gap.empty())) {
    out += "  the ordinary request is made of\n" + body;
  }
  return out;
}

std::string text_findings(const TextContext& context) {
  const std::vector<Group>& groups = context.report.groups;
  std::string out;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const Group& group = groups[i];
    if (group.findings.empty()) {
      if (context.options.verbose && !group.not_explained_why.empty()) {
        out += wrap("  ", 4, group_label(group, true) + ": " + escape_text(group.not_explained_why),
                    context.options.width);
      }
      continue;
    }
    out += wrap(
        "  ", 4,
        fmt::format("{}: {} slow of {} requests, gap {}",
                    context.paint.bold(group_label(group, true)), count_text(group.tail_requests),
                    count_text(group.requests), duration_text(group.gap)),
        context.options.width);
    out += text_group_findings(context, group, true);
  }
  if (out.empty()) return out;
  const char* more = context.options.verbose ? "" : " (in full with -v)";
  return '\n' + context.paint.bold("FINDINGS") + "  of the other routes" + more + '\n' + out;
}

}  // namespace srvprof
