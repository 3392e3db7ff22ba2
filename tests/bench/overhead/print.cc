#include "print.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace srvprof {
namespace {

using nlohmann::json;

std::string text_of(const Quartiles& q, const char* unit = "") {
  return fmt::format("{:.3f}{} [{:.3f} .. {:.3f}]", q.median, unit, q.low, q.high);
}

json json_of(const Quartiles& q) { return {{"low", q.low}, {"median", q.median}, {"high", q.high}}; }

json json_of(const Window& w) {
  return {{"on", w.on},
          {"seconds", w.seconds},
          {"answered", w.answered},
          {"cpu_ns", w.cpu_ns},
          {"runq_ns", w.runq_ns},
          {"p50_us", w.p50_us},
          {"p99_us", w.p99_us},
          {"ring_bytes", w.ring_bytes},
          {"records", w.records},
          {"traced", w.traced},
          {"ring_answered", w.ring_answered}};
}

json json_of(const Case& c) {
  json windows = json::array();
  for (const auto& [off, on] : c.pairs) windows.push_back({{"off", json_of(off)}, {"on", json_of(on)}});
  json out = {{"server", c.server},
              {"loop", c.open_loop ? "open" : "closed"},
              {"mode", name_of(c.mode)},
              {"rate", c.open_loop ? json(c.rate) : json(nullptr)},
              {"base_requests_per_s", base_rate(c)},
              {"base_cpu_us_per_request", base_cpu_us(c)},
              {"rate_ratio", json_of(rate_ratio(c))},
              {"cpu_ratio", json_of(cpu_ratio(c))},
              {"added_cpu_us", json_of(added_cpu_us(c))},
              {"windows", std::move(windows)}};
  if (c.mode != Mode::kControl) {
    out["ring_bytes_per_request"] = ring_bytes_a_request(c);
    out["recorded_share"] = traced_share(c);
    out["lost"] = c.lost;
    out["undecodable"] = c.undecodable;
    out["governor_max_one_in"] = c.one_in_max;
    out["collector_cpu_us_per_request"] = c.collector_us;
    out["collector_rss_bytes"] = c.collector_rss;
  }
  return out;
}

json json_of(const ProbeTable& t) {
  json costs = json::array();
  for (const ProbeCost& c : t.costs) {
    costs.push_back({{"program", c.program},
                     {"runs", c.runs},
                     {"floor_ns", c.floor_ns},
                     {"ns_per_run", c.ns},
                     {"ns_per_run_lowest_tenth", c.ns_low},
                     {"runs_per_request", c.runs_a_request},
                     {"ns_per_request", c.ns_a_request()}});
  }
  return {{"server", t.server},
          {"loop", t.open_loop ? "open" : "closed"},
          {"mode", t.full ? "full" : "default"},
          {"requests_per_s", t.rate},
          {"ns_per_request", t.total_ns_a_request()},
          {"programs", std::move(costs)}};
}

// How long the server waited for its CPU in the windows that were off: tells how noisy it was.
double queued_share(const Case& c) {
  double runq = 0, seconds = 0;
  for (const auto& [off, on] : c.pairs) {
    runq += static_cast<double>(off.runq_ns) / 1e9;
    seconds += off.seconds;
  }
  return seconds > 0 ? runq / seconds : 0;
}

}  // namespace

std::string case_text(const Case& c) {
  const auto p50 = ratios(c, [](const Window& w) { return w.p50_us; });
  const auto p99 = ratios(c, [](const Window& w) { return w.p99_us; });
  std::string text = fmt::format(
      "{}\n  without tracer    {:.0f} requests/s, {:.2f} us CPU a request, queued {:.1f} % of the time\n"
      "  requests/s        x {}\n  CPU a request     x {}   + {}\n  p50, p99          x {:.3f}, x {:.3f}\n",
      c.name(), base_rate(c), base_cpu_us(c), queued_share(c) * 100, text_of(rate_ratio(c)),
      text_of(cpu_ratio(c)), text_of(added_cpu_us(c), " us"), p50.median, p99.median);
  if (c.mode == Mode::kControl) return text;
  text += fmt::format(
      "  ring              {:.1f} bytes a request, {:.4f} of the requests recorded, {} lost, {} undecodable\n"
      "  governor          {}\n  collector         {:.2f} us CPU a request, {:.1f} MB resident\n",
      ring_bytes_a_request(c), traced_share(c), c.lost, c.undecodable,
      c.one_in_max == 1 ? "not engaged" : fmt::format("engaged: 1 in {}", c.one_in_max), c.collector_us,
      static_cast<double>(c.collector_rss) / 1e6);
  return text;
}

std::string verdict_text(const std::vector<Verdict>& verdicts) {
  std::string text;
  for (const Verdict& v : verdicts) {
    text += fmt::format("{} {} {:.3f}, required {} {:g}{}\n", v.met ? "PASS" : "FAIL", v.what, v.value,
                        v.at_least ? ">=" : "<=", v.limit,
                        v.noisy ? " (noisy: the control is off by more than 2 %)" : "");
  }
  return text;
}

std::string json_text(const BenchOptions& options, const std::vector<Case>& cases,
                      const std::vector<ProbeTable>& tables, const std::vector<std::string>& notes) {
  json out = {{"version", 1},
              {"path", options.path},
              {"connections", options.connections},
              {"pairs", options.pairs},
              {"window_ms", to_ms(options.window)},
              {"settle_ms", to_ms(options.settle)},
              {"notes", notes}};
  out["cases"] = json::array();
  for (const Case& c : cases) out["cases"].push_back(json_of(c));
  out["verdicts"] = json::array();
  for (const Verdict& v : judge(cases)) {
    out["verdicts"].push_back({{"what", v.what},
                               {"value", v.value},
                               {"limit", v.limit},
                               {"at_least", v.at_least},
                               {"met", v.met},
                               {"noisy", v.noisy}});
  }
  out["probes"] = json::array();
  for (const ProbeTable& t : tables) out["probes"].push_back(json_of(t));
  return out.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

}  // namespace srvprof
