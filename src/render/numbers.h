// Numbers as people read them.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace srvprof {

std::string count_text(std::uint64_t n);  // 123,870
std::string ms_text(Duration d);          // milliseconds without unit: ~0 0.004 0.90 41.3 1,204
std::string duration_text(Duration d);    // with unit: 850 ns, 1.4 us, 41.3 ms, 2.50 s
std::string percent_text(double share);   // 78 %, 1.2 %, 0 %
std::string bytes_text(std::uint64_t n);  // 512 B, 4.0 KiB, 1.2 MiB
std::string clock_text(Duration since);   // 00:30, 1:02:03 (seconds cut)
std::string decimal_text(double value);   // two digits after the point: 0.98

}  // namespace srvprof
