// Change points of a series: PELT (Killick, Fearnhead, Eckley 2012) with the squared-error cost.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace srvprof {

// The indices at which a new segment begins (without 0), ascending. `penalty` is in units of the
// squared values; no segment is shorter than `min_segment` (>= 1) values.
std::vector<std::size_t> pelt(std::span<const double> values, double penalty,
                              std::size_t min_segment);

// Standard deviation of the noise around a level that may jump: from the median absolute first
// difference, so that the jumps themselves do not count.
double noise_of(std::span<const double> values);

// pelt() with the usual penalty, 2 sigma^2 log n; the noise is taken as at least `floor`.
std::vector<std::size_t> change_points(std::span<const double> values, std::size_t min_segment,
                                       double floor);

}  // namespace srvprof
