// Is one run different from another? Permutation tests over blocks of time.
//
// Requests of one second share its stalls, so blocks of time are exchanged between the runs, never
// single requests. What is tested is not "equal" but "differs by at most kLeastEffect": the second
// run is first moved towards the first by that much, so that what nobody would care about is never
// called a difference, however long the runs are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/time.h"

namespace srvprof {

inline constexpr double kLeastEffect = 0.10;
inline constexpr double kSignificant = 0.01;     // below this probability it is no chance
inline constexpr std::size_t kFewestBlocks = 5;  // a run; 4 against 4 could never reach 1 %

// Requests of one block of time, as a log-linear histogram: 80 steps a power of two, so that
// kLeastEffect is 11 steps.
class LatencyBlock {
 public:
  static constexpr std::size_t kSteps = 80, kSlots = kSteps * 40;  // up to 18 minutes
  void add(Duration latency);
  std::uint64_t count() const { return count_; }
  const std::vector<std::uint32_t>& slots() const { return slots_; }

 private:
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(kSlots);
  std::uint64_t count_ = 0;
};

struct TestResult {
  double ratio = 1;               // b / a
  std::optional<double> p_value;  // of "differs by at most kLeastEffect"; nothing: effect too small
  bool different = false;
};

// The p-th percentile of all requests of the blocks.
TestResult test_percentile(const std::vector<LatencyBlock>& a, const std::vector<LatencyBlock>& b,
                           double p);
// Requests a block.
TestResult test_rate(const std::vector<LatencyBlock>& a, const std::vector<LatencyBlock>& b);

}  // namespace srvprof
