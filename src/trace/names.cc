#include <array>

#include "trace/model.h"

namespace srvprof {
namespace {

template <std::size_t N, class E>
std::string_view pick(const std::array<std::string_view, N>& names, E value) {
  const auto i = static_cast<std::size_t>(value);
  return i < N ? names[i] : "unknown";
}

}  // namespace

std::string_view name_of(LifePhase phase) {
  static constexpr std::array<std::string_view, kLifePhases> kNames = {"accept", "ready", "service",
                                                                       "write"};
  return pick(kNames, phase);
}

std::string_view name_of(State state) {
  static constexpr std::array<std::string_view, kStates> kNames = {
      "stopped",       "throttled",    "steal",         "runq.preempt",       "runq.wake",
      "irq",           "cpu",          "behind",        "blocked.lock",       "blocked.disk",
      "blocked.fault", "blocked.pipe", "blocked.sleep", "blocked.downstream", "pool",
      "backpressure",  "unexplained"};
  return pick(kNames, state);
}

std::string_view name_of(Wait wait) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "none",  "unknown",     "events", "accept", "socket", "send",  "connect",
      "futex", "kernel lock", "disk",   "fault",  "pipe",   "sleep", "stopped"};
  return pick(kNames, wait);
}

std::string_view name_of(ThreadRole role) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "unknown", "loop", "serving", "pool worker", "helper", "collector", "compiler", "monitor"};
  return pick(kNames, role);
}

std::string_view name_of(RuntimeModel model) {
  static constexpr std::array<std::string_view, 3> kNames = {"event loop", "thread per request",
                                                             "goroutines"};
  return pick(kNames, model);
}

}  // namespace srvprof
