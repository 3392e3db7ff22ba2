#include "collect/watchdog.h"

#include <fmt/format.h>

namespace srvprof {
namespace {

using namespace std::chrono_literals;

constexpr Duration kCostWindow = 5s;
constexpr unsigned kLosingRounds = 10;
constexpr double kLosing = 0.1;       // of what should have been recorded
constexpr Duration kAtAttach = 10s;   // later resets have other reasons
constexpr Duration kResetWindow = 3s;
constexpr double kResetsASegment = 0.01;
constexpr double kMoreResets = 10;  // times as many as before
constexpr double kMoreLoad = 2;     // times the segments: a load that begins brings its own resets

double rate(std::uint64_t from, std::uint64_t to, Duration length) {
  return length > Duration{} && to > from ? static_cast<double>(to - from) / to_seconds(length) : 0;
}

}  // namespace

std::optional<std::string> Watchdog::check(const Sums& now) {
  const Sums& last = rounds_.back();
  const auto lost = static_cast<double>(now.lost - last.lost);
  const auto requests = static_cast<double>(now.requests - last.requests);
  losing_rounds_ = lost > kLosing * (lost + requests) ? losing_rounds_ + 1 : 0;
  rounds_.push_back(now);
  while (rounds_.size() > 2 && now.t - rounds_[1].t >= kCostWindow) rounds_.pop_front();
  if (auto why = check_cost()) return why;
  if (auto why = check_losses()) return why;
  return check_resets();
}

std::optional<std::string> Watchdog::check_cost() const {
  const Sums &from = rounds_.front(), &to = rounds_.back();
  if (limits_.share <= 0 || to.t - from.t < kCostWindow) return std::nullopt;
  const double seconds = to_seconds(to.t - from.t);
  const double cost = to_seconds((to.bpf - from.bpf) + (to.own - from.own)) / seconds;
  const double target = to_seconds(to.target - from.target) / seconds;
  if (cost <= limits_.cpus || cost <= limits_.share * target) return std::nullopt;
  return fmt::format("srvprof took {:.2f} CPUs, {:.0f} % of the {:.2f} that the target took (limit {:.0f} %)",
                     cost, target > 0 ? 100 * cost / target : 999.0, target, 100 * limits_.share);
}

std::optional<std::string> Watchdog::check_losses() const {
  if (losing_rounds_ < kLosingRounds) return std::nullopt;
  return fmt::format("for {} seconds on end more than {:.0f} % of what happened found no room in the ring",
                     losing_rounds_, 100 * kLosing);
}

std::optional<std::string> Watchdog::check_resets() const {
  const Sums& to = rounds_.back();
  if (to.t - begin_.t > kAtAttach || to.t - begin_.t < kResetWindow) return std::nullopt;
  const Duration before = begin_.t - before_.t, after = to.t - begin_.t;
  const double segments = rate(begin_.segments, to.segments, after);
  const double resets = rate(begin_.resets, to.resets, after);
  const double resets_before = rate(before_.resets, begin_.resets, before);
  const double segments_before = rate(before_.segments, begin_.segments, before);
  if (segments > kMoreLoad * segments_before) return std::nullopt;
  if (resets < kResetsASegment * segments || resets < 1) return std::nullopt;
  if (resets < kMoreResets * resets_before) return std::nullopt;
  return fmt::format("since the probes went in {:.0f} connections a second are reset, {:.0f} before", resets,
                     resets_before);
}

}  // namespace srvprof
