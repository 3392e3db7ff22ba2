#include "results.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace srvprof {
namespace {

// The project's own requirements.
constexpr double kRateDefault = 0.95, kRateFull = 0.90, kCpuOpenLoop = 1.05;
constexpr double kRingSaturated = 200, kRingOpenLoop = 300;

template <class F>
double sum(const Case& c, F&& of) {
  double total = 0;
  for (const auto& [off, on] : c.pairs) total += static_cast<double>(of(off, on));
  return total;
}

const Case* control_of(const std::vector<Case>& cases, const Case& c) {
  for (const Case& other : cases) {
    if (other.mode == Mode::kControl && other.server == c.server && other.open_loop == c.open_loop) {
      return &other;
    }
  }
  return nullptr;
}

bool off_by_too_much(const Case* control, Quartiles (*ratio)(const Case&)) {
  return control != nullptr && std::abs(ratio(*control).median - 1) > kControlTolerance;
}

}  // namespace

std::string name_of(Mode mode) {
  switch (mode) {
    case Mode::kControl: return "A/A control";
    case Mode::kDefault: return "default";
    case Mode::kFull: return "--full";
  }
  return "?";
}

std::string Case::name() const {
  return fmt::format("{} {} {}", server, open_loop ? "open loop" : "closed loop", name_of(mode));
}

Quartiles quartiles(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto at = [&](double share) {
    const double x = share * static_cast<double>(values.size() - 1);
    const auto i = static_cast<std::size_t>(x);
    const std::size_t next = std::min(i + 1, values.size() - 1);
    return values[i] + (values[next] - values[i]) * (x - static_cast<double>(i));
  };
  return {at(0.25), at(0.5), at(0.75)};
}

Quartiles ratios(const Case& c, const std::function<double(const Window&)>& value) {
  std::vector<double> all;
  for (const auto& [off, on] : c.pairs) {
    if (off.answered != 0 && on.answered != 0 && value(off) > 0) all.push_back(value(on) / value(off));
  }
  return quartiles(std::move(all));
}

Quartiles rate_ratio(const Case& c) {
  return ratios(c, [](const Window& w) { return w.rate(); });
}

Quartiles cpu_ratio(const Case& c) {
  return ratios(c, [](const Window& w) { return w.cpu_us(); });
}

Quartiles added_cpu_us(const Case& c) {
  std::vector<double> all;
  for (const auto& [off, on] : c.pairs) {
    if (off.answered != 0 && on.answered != 0) all.push_back(on.cpu_us() - off.cpu_us());
  }
  return quartiles(std::move(all));
}

double base_rate(const Case& c) {
  return sum(c, [](const Window& off, const Window&) { return off.answered; }) /
         sum(c, [](const Window& off, const Window&) { return off.seconds; });
}

double base_cpu_us(const Case& c) {
  return sum(c, [](const Window& off, const Window&) { return off.cpu_ns; }) / 1e3 /
         sum(c, [](const Window& off, const Window&) { return off.answered; });
}

double ring_bytes_a_request(const Case& c) {
  return sum(c, [](const Window&, const Window& on) { return on.ring_bytes; }) /
         sum(c, [](const Window&, const Window& on) { return on.ring_answered; });
}

double traced_share(const Case& c) {
  return sum(c, [](const Window&, const Window& on) { return on.traced; }) /
         sum(c, [](const Window&, const Window& on) { return on.ring_answered; });
}

std::vector<Verdict> judge(const std::vector<Case>& cases) {
  std::vector<Verdict> out;
  for (const Case& c : cases) {
    if (c.mode == Mode::kControl) continue;
    const auto require = [&](std::string_view what, double value, double limit, bool at_least,
                             bool noisy = false) {
      const bool met = at_least ? value >= limit : value <= limit;
      out.push_back({fmt::format("{}: {}", c.name(), what), value, limit, at_least, met, noisy});
    };
    const Case* control = control_of(cases, c);
    if (!c.open_loop) {
      require("throughput ratio", rate_ratio(c).median,
              c.mode == Mode::kFull ? kRateFull : kRateDefault, true,
              off_by_too_much(control, rate_ratio));
    }
    if (c.mode == Mode::kDefault) {
      if (c.open_loop) {
        require("CPU per request ratio", cpu_ratio(c).median, kCpuOpenLoop, false,
                off_by_too_much(control, cpu_ratio));
      }
      require("ring bytes per request", ring_bytes_a_request(c),
              c.open_loop ? kRingOpenLoop : kRingSaturated, false);
    }
    require("records lost", static_cast<double>(c.lost + c.undecodable), 0, false);
  }
  return out;
}

}  // namespace srvprof
