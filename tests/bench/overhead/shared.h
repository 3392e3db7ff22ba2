// What the processes of the bench tell each other while a run is under way: one anonymous mapping that
// is inherited over fork(). Counters only grow; each has one writer.
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <new>

namespace srvprof {

// Log-linear histogram of latencies: 32 steps a power of two of nanoseconds (error <= 3.2 %).
struct LatencySlots {
  static constexpr std::size_t kSteps = 32;
  std::array<std::atomic<std::uint32_t>, kSteps * 40> count;

  static std::size_t index(std::uint64_t ns);
  // Value in ns below which `share` of the latencies lie; 0 if there are none.
  double quantile(double share) const;
  void clear();
};

struct LoadCounters {
  std::atomic<double> rate;             // by the bench: requests/s, 0 = closed loop
  std::atomic<std::uint32_t> stop;      // by the bench
  std::atomic<std::uint32_t> counting;  // by the bench: latencies are kept
  std::atomic<std::uint32_t> ready;
  std::atomic<std::uint64_t> answered;
  std::atomic<std::uint64_t> late_ns;   // largest delay of a send against its due time
  std::array<char, 200> error;          // valid if the process has ended
  LatencySlots latencies;
};

struct ProgramTime {
  std::array<char, 64> name;
  std::uint64_t run_ns, runs;
};

struct TracerCounters {
  std::atomic<std::uint64_t> ring_bytes, records, requests, undecodable, lost;
  std::atomic<std::uint64_t> answered;  // LoadCounters::answered when the ring was last emptied
  std::atomic<std::uint32_t> one_in_max;
  std::atomic<std::uint64_t> file_bytes, cpu_ns, rss_bytes;
  std::uint32_t programs;               // answer to Tracer::run_times()
  std::array<ProgramTime, 64> program;
  std::array<char, 400> error;          // answer to a command that failed
};

struct Shared {
  LoadCounters load;
  TracerCounters tracer;
};

// Mapped until the process ends; nullptr without memory.
inline Shared* map_shared() {
  void* p = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : new (p) Shared{};
}

}  // namespace srvprof
