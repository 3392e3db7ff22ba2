#include "render/html_parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "render/numbers.h"
#include "render/states.h"
#include "render/text_parts.h"
#include "render/xml.h"

namespace srvprof {
namespace {

constexpr double kPercentiles[] = {50, 90, 95, 99, 99.9};

std::string label(const Group& group) { return xml_of_escaped(group_label(group, true)); }

std::string paragraph(std::string_view css, std::string_view key,
                      const std::vector<std::string>& all) {
  if (all.empty()) return {};
  std::string text;
  for (const std::string& part : all) text += (text.empty() ? "" : "; ") + xml_text(part);
  return fmt::format("<p class=\"{}\">{}{}</p>\n", css, key, text);
}

std::string culprits_html(const std::vector<Culprit>& culprits) {
  if (culprits.empty()) return {};
  std::string out =
      "<table><tr><th>who</th><th>pid</th><th>tid</th><th class=\"l\">cgroup</th>"
      "<th>ms a request</th><th>share</th></tr>\n";
  for (const Culprit& c : culprits) {
    out += fmt::format(
        "<tr><td>{}{}{}</td><td>{}</td><td>{}</td><td "
        "class=\"l\">{}</td><td>{}</td><td>{}</td></tr>\n",
        xml_text(c.what), c.what.empty() || c.comm.empty() ? "" : ": ", xml_text(c.comm),
        c.pid != 0 ? std::to_string(c.pid) : "", c.tid != 0 ? std::to_string(c.tid) : "",
        xml_text(c.cgroup), ms_text(c.time), percent_text(c.share_of_gap));
  }
  return out + "</table>\n";
}

std::string finding_html(const Finding& f) {
  std::string out = fmt::format(
      "<div class=\"finding{}\"><p><span class=\"share\">{}</span><b>{}</b> <span class=\"k\">{} "
      "{}",
      f.of_body ? " body" : "", percent_text(f.share), xml_text(f.title), duration_text(f.gap),
      f.of_body ? "a request" : "of the gap");
  if (f.stalls != 0) out += fmt::format(", {} stalls", count_text(f.stalls));
  if (f.tail_requests != 0) {
    out += fmt::format(", {} of the {} {} requests", count_text(f.requests),
                       count_text(f.tail_requests), f.of_body ? "ordinary" : "slow");
  }
  out += "</span></p>\n";
  out += paragraph("", "", f.evidence);
  out += culprits_html(f.culprits);
  out += paragraph("k", "ruled out: ", f.ruled_out);
  out += paragraph("try", "try: ", f.tries);
  if (f.p99_without) {
    out += fmt::format("<p class=\"k\">without it: p99 [{} .. {}] ms (estimate)</p>\n",
                       ms_text(f.p99_without->first), ms_text(f.p99_without->second));
  }
  return out + "</div>\n";
}

// One stacked bar; `full` is the time that the whole width stands for.
std::string bar_html(const Ledger& ledger, Duration full) {
  std::string out = "<div class=\"bar\">";
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    const Duration time = ledger.of(state);
    if (time <= Duration{} || full <= Duration{}) continue;
    out += fmt::format("<span style=\"width:{:.3f}%;background:{}\" title=\"{} {}\"></span>",
                       100.0 * static_cast<double>(to_ns(time)) / static_cast<double>(to_ns(full)),
                       kStateColors[i], name_of(state), duration_text(time));
  }
  return out + "</div>";
}

std::string legend_html(const Ledger& a, const Ledger& b) {
  std::string out = "<div class=\"legend\">";
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    if (a.of(state) <= Duration{} && b.of(state) <= Duration{}) continue;
    out += fmt::format("<i style=\"background:{}\"></i>{}", kStateColors[i], name_of(state));
  }
  return out + "</div>\n";
}

std::string ledger_row(std::string_view name, Duration body, Duration tail,
                       const std::array<Duration, kLifePhases>& phases, bool total) {
  const char* css = total ? " class=\"total\"" : "";
  std::string out = fmt::format("<tr><td{0}>{1}</td><td{0}>{2}</td><td{0}>{3}</td><td{0}>{4}</td>",
                                css, name, ms_text(body), ms_text(tail), ms_text(tail - body));
  for (Duration d : phases)
    out += fmt::format("<td{}>{}</td>", css, to_ns(d) == 0 ? "" : ms_text(d));
  return out + "</tr>\n";
}

std::string ledger_table(const Group& group) {
  std::string out =
      "<table><tr><th>mean ms</th><th>body</th><th>tail</th><th>gap</th><th>tail: "
      "accept</th><th>ready</th><th>service</th><th>write</th></tr>\n";
  std::array<Duration, kLifePhases> phases{};
  for (std::size_t i = 0; i < kStates; ++i) {
    const auto state = static_cast<State>(i);
    const Duration body = group.body.of(state), tail = group.tail.of(state);
    if (state != State::kUnexplained && to_ns(body) == 0 && to_ns(tail) == 0) continue;
    for (std::size_t p = 0; p < kLifePhases; ++p) phases[p] = group.tail.cell[p][i];
    out += ledger_row(name_of(state), body, tail, phases, false);
  }
  for (std::size_t p = 0; p < kLifePhases; ++p)
    phases[p] = group.tail.of(static_cast<LifePhase>(p));
  out += ledger_row("total", group.body.total(), group.tail.total(), phases, true);
  return out + "</table>\n";
}

}  // namespace

std::string html_head(const ReportHeader& h) {
  std::string ports;
  for (std::uint32_t port : h.ports) ports += fmt::format(" :{}", port);
  return fmt::format(
      "<h1>srvprof: {} (pid {}){}</h1>\n<p class=\"meta\">{} recorded, {} requests, <span{}>{} lost"
      "</span>, own cost {}; mode {}; {}; kernel {}; started {}{}</p>\n",
      xml_text(h.argv.empty() ? h.comm : h.argv), h.pid, ports, clock_text(h.duration),
      count_text(h.requests), h.lost != 0 ? " class=\"bad\"" : "", count_text(h.lost),
      to_ns(h.own_cost_per_request) == 0 ? "not measured"
                                         : duration_text(h.own_cost_per_request) + " a request",
      xml_text(h.mode.empty() ? "default" : h.mode), xml_text(h.file), xml_text(h.kernel),
      xml_text(h.start_utc),
      h.clean_end ? "" : "; <span class=\"bad\">the recording was not closed in order</span>");
}

std::string html_verdict(const Report& report) {
  std::string out = "<h2>Verdict</h2>\n";
  if (report.verdict.empty())
    out += "<p class=\"verdict\">nothing to say: no request was recorded</p>\n";
  for (std::size_t i = 0; i < report.verdict.size(); ++i) {
    out += fmt::format("<p{}>{}</p>\n", i == 0 ? " class=\"verdict\"" : "",
                       xml_text(report.verdict[i]));
  }
  if (!report.groups.empty()) out += html_findings(report.groups.front());
  return out;
}

std::string html_findings(const Group& group) {
  std::string out;
  for (const Finding& finding : group.findings) out += finding_html(finding);
  if (group.explained) {
    out +=
        fmt::format("<p class=\"k\">{} unexplained</p>\n", percent_text(group.unexplained_share));
  } else if (!group.not_explained_why.empty()) {
    out += fmt::format("<p class=\"k\">{}</p>\n", xml_text(group.not_explained_why));
  }
  return out;
}

std::string html_routes(const Report& report) {
  if (report.groups.empty()) return {};
  std::string out = "<h2>Routes</h2>\n<table><tr><th>route [phase], ms</th><th>requests</th>";
  for (double p : kPercentiles) out += fmt::format("<th>p{:g}</th>", p);
  out += "<th>max</th><th>errors</th></tr>\n";
  for (const Group& group : report.groups) {
    out += fmt::format("<tr><td>{}</td><td>{}</td>", label(group), count_text(group.requests));
    for (double p : kPercentiles) {
      const auto at = std::find_if(group.percentiles.begin(), group.percentiles.end(),
                                   [p](const Percentile& x) { return x.p == p; });
      if (at == group.percentiles.end() || !at->enough) {
        out += "<td title=\"too few requests for this percentile\">-</td>";
      } else {
        out += fmt::format("<td title=\"95 %: {} .. {} ms\">{}</td>", ms_text(at->low),
                           ms_text(at->high), ms_text(at->value));
      }
    }
    out +=
        fmt::format("<td>{}</td><td>{}</td></tr>\n", ms_text(group.max), count_text(group.errors));
  }
  return out + "</table>\n";
}

std::string html_ledger(const Group& group) {
  if (group.body_requests == 0 && group.tail_requests == 0) return {};
  const Duration full = std::max(group.body.total(), group.tail.total());
  std::string out;
  const auto row = [&](std::string_view name, std::uint64_t n, const Ledger& ledger) {
    out += fmt::format("<div class=\"row\"><span>{} ({})</span>{}<span>{} ms</span></div>\n", name,
                       count_text(n), bar_html(ledger, full), ms_text(ledger.total()));
  };
  row("ordinary", group.body_requests, group.body);
  row("slow", group.tail_requests, group.tail);
  return out + legend_html(group.body, group.tail) + ledger_table(group);
}

std::string html_phases(const Report& report, Time origin) {
  if (report.phases.empty()) return {};
  std::string out =
      "<h2>Phases of the load</h2>\n<table><tr><th>phase</th><th>from</th><th>to</th>"
      "<th>requests</th><th>CPUs: target</th><th>load generator</th><th>all</th>"
      "<th class=\"l\">why</th></tr>\n";
  for (const LoadPhase& p : report.phases) {
    out += fmt::format(
        "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
        "<td class=\"l\">{}</td></tr>\n",
        xml_text(p.name), clock_text(p.begin - origin), clock_text(p.end - origin),
        count_text(p.requests), p.cpu_known ? decimal_text(p.target_cpus) : "-",
        p.cpu_known ? decimal_text(p.generator_cpus) : "-",
        p.cpu_known ? decimal_text(p.machine_cpus) : "-", xml_text(p.why));
  }
  return out + "</table>\n";
}

std::string html_machine(const Report& report) {
  if (report.machine.empty()) return {};
  std::string out = fmt::format(
      "<h2>Machine: {} CPUs</h2>\n<table><tr><th>process</th><th>pid</th>"
      "<th>CPUs used</th><th>queued</th></tr>\n",
      report.header.cpus);
  for (const MachineProcess& p : report.machine) {
    out +=
        fmt::format("<tr><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n", xml_text(p.comm),
                    p.target ? " (target)" : (p.load_generator ? " (load generator)" : ""), p.pid,
                    decimal_text(p.cpus), decimal_text(p.runq));
  }
  return out + "</table>\n";
}

std::string html_coverage(const Report& report) {
  static constexpr const char* kLevels[] = {"note", "not measured", "lost", "own cost"};
  if (report.coverage.empty()) return {};
  std::string out = "<h2>Coverage</h2>\n<ul class=\"coverage\">\n";
  for (const CoverageLine& line : report.coverage) {
    out += fmt::format("<li><b{}>{}</b>{}{}{}</li>\n",
                       line.level == CoverageLine::Level::kLoss ? " class=\"bad\"" : "",
                       kLevels[static_cast<std::size_t>(line.level)], xml_text(line.topic),
                       line.topic.empty() ? "" : ": ", xml_text(line.text));
  }
  return out + "</ul>\n";
}

}  // namespace srvprof
