// The load over time, in bins: what phases are told by.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "trace/model.h"

namespace srvprof {

struct LoadBin {
  std::size_t requests = 0;     // arrivals
  std::size_t done = 0;         // completions
  std::size_t connections = 0;  // with an arrival
  double held = 0;              // connections open meanwhile, in use or not
  double open = 0;              // requests open at its begin
  double p50_ns = 0;            // carried over from the bin before if there are too few requests
  bool covered = false;         // some request was open all through it: a stall, not idleness
};

// Equal bins from the recording's begin on: whole ones, what is left at the end belongs to the
// last.
struct LoadBins {
  Time begin;
  Duration width{};
  std::vector<LoadBin> bins;
  Time at(std::size_t i) const { return begin + width * static_cast<std::int64_t>(i); }
  std::size_t of(Time t) const;
  // A stall lies in it, or begins or ends there: it tells no level.
  bool unsure(std::size_t i) const;
  Duration length(std::size_t from, std::size_t to) const {
    return width * static_cast<std::int64_t>(to - from);
  }
};

LoadBins load_bins(const Trace& trace);

// Of the bins [from, to), without unsure ones unless all are.
struct LoadLevel {
  double rate = 0;         // requests a second
  double p50_ns = 0;       // median of the bins' medians
  double connections = 0;  // mean
  double held = 0;         // mean
  double open = 0;         // mean
};
LoadLevel load_level(const LoadBins& bins, std::size_t from, std::size_t to);

// "throughput 1.2k/s -> 2.5k/s, p50 1.0 ms -> 1.1 ms": only what moved, and throughput.
std::string change_words(const LoadLevel& before, const LoadLevel& after);
std::string rate_words(double per_second);

// By more than 20 %.
bool moved(double before, double after);

}  // namespace srvprof
