// The axes of the ledger as output names them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "trace/ledger.h"

namespace srvprof {

// snake_case, in the order of enum State and enum LifePhase: keys of JSON and columns of CSV, to
// which
// "_ns" is appended. Part of those formats: never renamed.
inline constexpr std::array<std::string_view, kStates> kStateKeys = {
    "stopped",       "throttled",  "steal",        "runq_preempt", "runq_wake",     "irq",
    "cpu",           "behind",     "blocked_lock", "blocked_disk", "blocked_fault", "blocked_pipe",
    "blocked_sleep", "downstream", "pool",         "backpressure", "unexplained"};
inline constexpr std::array<std::string_view, kLifePhases> kLifePhaseKeys = {"accept", "ready",
                                                                             "service", "write"};
// In the order of enum ClientLine.
inline constexpr std::array<std::string_view, kClientLines> kClientLineKeys = {
    "connect", "send", "transit", "server", "write", "runq", "own", "idle", "unknown"};
// Colours of the states in pictures (CSS).
inline constexpr std::array<std::string_view, kStates> kStateColors = {
    "#5b1a18", "#a4243b", "#7a4fa3", "#f28e2b", "#e15759", "#8a6d3b",
    "#4e9f50", "#edc948", "#b07aa1", "#76624c", "#9c755f", "#6b8fa3",
    "#a0a7b4", "#4e79a7", "#76b7b2", "#59798e", "#d0d0d0"};

// States of a ledger by time, largest first, without those below `least`.
std::vector<std::pair<State, Duration>> largest_states(const Ledger& ledger, Duration least);

}  // namespace srvprof
