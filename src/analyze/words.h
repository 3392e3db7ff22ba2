// Numbers as people read them. Used in every sentence of a report.
#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace srvprof {

std::string ms_words(Duration d);  // "31.6 ms", "0.42 ms", "18 us", "2.87 s"
// "41.3 ms [39.8 .. 43.0]"; units are repeated where they differ.
std::string interval_words(Duration value, Duration low, Duration high);
std::string percent_words(double share);        // 0.784 -> "78 %", 0.012 -> "1.2 %"
std::string count_words(std::uint64_t n);       // 41022 -> "41,022"
std::string clock_words(Duration since_start);  // "00:06", with an hour "1:02:03"
std::string bytes_words(std::uint64_t bytes);   // "12.3 MiB"
// "1 stall", "312 stalls": `one` gets an s unless n is 1.
std::string plural_words(std::uint64_t n, const std::string& one);

}  // namespace srvprof
